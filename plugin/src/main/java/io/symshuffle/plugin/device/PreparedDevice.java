// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaContext.MemoryInfo;
import io.symshuffle.cuda.CudaDevice;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.heap.NvshmemHeap;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.nvml.Nvml;
import io.symshuffle.nvshmem.NvshmemEnvironment;
import io.symshuffle.nvshmem.NvshmemLibrary;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.plugin.config.DeviceConfig;
import io.symshuffle.plugin.config.Settings;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All that an executor can do alone on the way to a device heap: its GPU with a context, memory
 * that is free, kernels that load, a library that fits. What is wrong on one machine shows here,
 * where nobody else has to wait for it.
 *
 * @param context the GPU's primary context
 * @param kernels the kernels, loaded
 * @param runtime NVSHMEM, not started
 * @param offer what to tell the driver
 */
record PreparedDevice(
    CudaContext context, Kernels kernels, NvshmemRuntime runtime, GpuOffer offer) {
  private static final Logger LOG = LoggerFactory.getLogger(PreparedDevice.class);

  /** Window sizes are multiples of this. */
  private static final long GRANULE = 64L << 10;

  private static final long SMALLEST_WINDOW = 1L << 20;

  /** What contexts, NVSHMEM's own state and libraries of others need beside the heap. */
  private static final long RESERVE = 1L << 30;

  /** On small GPUs the reserve is this part of their memory. */
  private static final long RESERVE_SHARE = 16;

  /**
   * What this executor is.
   *
   * @param pe its number
   * @param turn how many executors of its machine joined before it and are there
   * @param node its machine, as {@link GpuOffer#node}
   * @param gpuAddresses the GPUs that Spark has given to it
   */
  record Self(int pe, int turn, String node, List<String> gpuAddresses) {}

  /**
   * Prepares.
   *
   * @throws NoDeviceException with the reason, if this executor cannot have a device heap; nothing
   *     is held then
   */
  static PreparedDevice prepare(DeviceConfig config, DeviceLibraries libraries, Self self) {
    CudaDevice device = device(libraries, self);
    NvshmemLibrary nvshmem = libraries.nvshmem().apply(config.nvshmemHome());
    nvshmem.absence().ifPresent(PreparedDevice::refuse);
    KernelImage image = libraries.kernels().get();
    image.absence().ifPresent(PreparedDevice::refuse);
    CudaContext context = device.openPrimaryContext();
    Kernels kernels = null;
    try {
      long windowBytes = windowBytes(config, context.memory());
      kernels = Kernels.load(context, image, self.pe());
      NvshmemRuntime runtime =
          NvshmemRuntime.open(
              nvshmem,
              context,
              NvshmemEnvironment.recommended(
                  NvshmemHeap.arenaBytes(windowBytes), config.networkInterface()));
      GpuOffer offer =
          new GpuOffer(
              self.node(),
              device.uuid(),
              device.pciBusId(),
              nvshmem.version().orElseThrow().toString(),
              windowBytes);
      LOG.info(
          "The GPU of this executor is {} ({}, {})",
          device.name(),
          device.pciBusId(),
          device.uuid());
      return new PreparedDevice(context, kernels, runtime, offer);
    } catch (RuntimeException e) {
      if (kernels != null) {
        kernels.close();
      }
      context.close();
      throw e;
    }
  }

  /** Gives everything back; nothing of NVSHMEM may have been started. */
  void release() {
    kernels.close();
    runtime.close();
    context.close();
  }

  private static CudaDevice device(DeviceLibraries libraries, Self self) {
    CudaDriver driver = libraries.cuda().get();
    if (driver.absence().isPresent()) {
      throw new NoDeviceException(driver.absence().get(), driver.isWithoutGpu());
    }
    int count = driver.deviceCount();
    if (count == 0) {
      throw new NoDeviceException("this process sees no GPU", true);
    }
    List<String> visible = new ArrayList<>();
    for (int ordinal = 0; ordinal < count; ordinal++) {
      visible.add(driver.device(ordinal).uuid());
    }
    CudaDevice device = driver.device(GpuChoice.choose(self.gpuAddresses(), visible, self.turn()));
    refusePartitions(libraries.nvml().get(), device);
    return device;
  }

  // NVSHMEM takes partitions of a GPU for several PEs on one, and none of them reaches another.
  private static void refusePartitions(Nvml nvml, CudaDevice device) {
    if (isPartitioned(nvml, device)) {
      refuse(
          "the GPU at %s is divided into MIG instances, whose memory other GPUs cannot reach: switch MIG off (nvidia-smi -mig 0)"
              .formatted(device.pciBusId()));
    }
  }

  private static boolean isPartitioned(Nvml nvml, CudaDevice device) {
    if (nvml.absence().isPresent()) {
      LOG.debug("Whether {} is divided by MIG is not known: {}", device, nvml.absence().get());
      return false;
    }
    try {
      return nvml.deviceAt(device.pciBusId()).isPartitioned();
    } catch (NativeCallException e) {
      // A container may hide it. If it is divided after all, NVSHMEM's start says so.
      LOG.debug("Whether {} is divided by MIG is not known", device, e);
      return false;
    }
  }

  private static long windowBytes(DeviceConfig config, MemoryInfo memory) {
    long arena = config.heapSize().of(memory.totalBytes());
    long overhead = NvshmemHeap.arenaBytes(GRANULE) - GRANULE;
    long window = (arena - overhead) / GRANULE * GRANULE;
    long reserve = Math.min(RESERVE, memory.totalBytes() / RESERVE_SHARE);
    if (window < SMALLEST_WINDOW || memory.freeBytes() < arena + reserve) {
      refuse(
          "a device heap of %d MiB, and %d MiB beside it, do not fit into a GPU with %d of %d MiB free: set %s to less, or see who has taken the memory (our plugin comes first in spark.plugins)"
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
