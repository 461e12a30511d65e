// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device.nvshmem;

import io.symshuffle.cuda.CudaContext.MemoryInfo;
import io.symshuffle.cuda.CudaDevice;
import io.symshuffle.nvshmem.NvshmemEnvironment;
import io.symshuffle.nvshmem.NvshmemHeap;
import io.symshuffle.nvshmem.NvshmemLibrary;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.plugin.config.DeviceConfig;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.device.DeviceLibraries;
import io.symshuffle.plugin.device.GpuOffer;
import io.symshuffle.plugin.device.NoDeviceException;
import io.symshuffle.plugin.device.PreparedGpu;

/**
 * What an executor prepares alone before its device heap of NVSHMEM starts: its GPU with enough
 * free memory, and a suitable NVSHMEM. Problems of one machine show here, where nobody else has to
 * wait for it.
 *
 * @param runtime NVSHMEM, not started
 * @param offer what to tell the driver
 */
public record NvshmemPreparation(PreparedGpu gpu, NvshmemRuntime runtime, GpuOffer offer) {
  /** Window sizes are multiples of this. */
  private static final long GRANULE = 64L << 10;

  private static final long MIN_WINDOW = 1L << 20;

  /** Memory for contexts, NVSHMEM's state and other libraries. */
  private static final long RESERVE = 1L << 30;

  /** On small GPUs the reserve is this fraction of their memory. */
  private static final long RESERVE_SHARE = 16;

  /**
   * Prepares.
   *
   * @param node its machine, as {@link GpuOffer#node}
   * @return what is prepared, to be released or started
   * @throws NoDeviceException with the reason, if this executor cannot have a device heap; nothing
   *     is held then
   */
  public static NvshmemPreparation prepare(
      DeviceConfig config, DeviceLibraries libraries, PreparedGpu.Executor self, String node) {
    CudaDevice device = PreparedGpu.choose(libraries, self);
    NvshmemLibrary nvshmem = libraries.nvshmem().apply(config.nvshmemHome());
    nvshmem.absence().ifPresent(NvshmemPreparation::refuse);
    PreparedGpu gpu =
        PreparedGpu.open(device, libraries, self, context -> windowBytes(config, context.memory()));
    try {
      long windowBytes = gpu.windowBytes();
      NvshmemRuntime runtime =
          NvshmemRuntime.open(
              nvshmem,
              gpu.context(),
              NvshmemEnvironment.recommended(
                  NvshmemHeap.windowBytes(windowBytes), config.networkInterface()));
      GpuOffer offer =
          new GpuOffer(
              node,
              device.uuid(),
              device.pciBusId(),
              nvshmem.version().orElseThrow().toString(),
              windowBytes);
      return new NvshmemPreparation(gpu, runtime, offer);
    } catch (RuntimeException e) {
      gpu.release();
      throw e;
    }
  }

  /** Releases everything; NVSHMEM must not have been started. */
  public void release() {
    gpu.kernels().close();
    runtime.close();
    gpu.context().close();
  }

  private static long windowBytes(DeviceConfig config, MemoryInfo memory) {
    long arena = config.heapSize().of(memory.totalBytes());
    long window = arena / GRANULE * GRANULE;
    long reserve = Math.min(RESERVE, memory.totalBytes() / RESERVE_SHARE);
    if (window < MIN_WINDOW || memory.freeBytes() < arena + reserve) {
      refuse(
          "a device heap of %d MiB plus a reserve of %d MiB does not fit into a GPU with %d of %d MiB free: lower %s, or find out what uses the memory (SymShuffle must be first in spark.plugins)"
              .formatted(
                  arena >> 20,
                  reserve >> 20,
                  memory.freeBytes() >> 20,
                  memory.totalBytes() >> 20,
                  Settings.DEVICE_HEAP_SIZE.key()));
    }
    return window;
  }

  private static void refuse(String reason) {
    throw new NoDeviceException(reason);
  }
}
