// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvml;

import io.symshuffle.ffi.Symbol;
import java.lang.foreign.MemorySegment;

/**
 * The functions of libnvidia-ml.so.1 that SymShuffle calls, with their prototypes from nvml.h of
 * CUDA 13.0. Each returns an nvmlReturn_t, 0 for success; an nvmlDevice_t is a pointer.
 */
interface NvmlApi {
  // nvmlReturn_t nvmlInit_v2(void);
  @Symbol("nvmlInit_v2")
  int initialize();

  // const char *nvmlErrorString(nvmlReturn_t result);
  @Symbol("nvmlErrorString")
  long errorString(int code);

  // nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length);
  @Symbol("nvmlSystemGetDriverVersion")
  int driverVersion(MemorySegment version, int length);

  // nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device);
  @Symbol("nvmlDeviceGetHandleByUUID")
  int deviceByUuid(MemorySegment uuid, MemorySegment device);

  // nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *pciBusId, nvmlDevice_t *device);
  @Symbol("nvmlDeviceGetHandleByPciBusId_v2")
  int deviceByPciBusId(MemorySegment pciBusId, MemorySegment device);

  // nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *currentMode,
  //                                   unsigned int *pendingMode);
  @Symbol("nvmlDeviceGetMigMode")
  int migMode(long device, MemorySegment current, MemorySegment pending);

  // nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned int link,
  //                                       nvmlEnableState_t *isActive);
  @Symbol("nvmlDeviceGetNvLinkState")
  int linkState(long device, int link, MemorySegment active);

  // nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int valuesCount,
  //                                       nvmlFieldValue_t *values);
  @Symbol("nvmlDeviceGetFieldValues")
  int fieldValues(long device, int count, MemorySegment values);

  // nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t device1, nvmlDevice_t device2,
  //     nvmlGpuP2PCapsIndex_t p2pIndex, nvmlGpuP2PStatus_t *p2pStatus);
  @Symbol("nvmlDeviceGetP2PStatus")
  int peerStatus(long device, long other, int capability, MemorySegment status);
}
