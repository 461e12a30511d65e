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
 * What an executor prepares alone before its device heap starts: its GPU with a context and enough
 * free memory, loaded kernels, a suitable NVSHMEM. Problems of one machine show here, where nobody
 * else has to wait for it.
 *
 * @param context the GPU's primary context
 * @param kernels the kernels, loaded
 * @param runtime NVSHMEM, not started
 * @param offer what to tell the driver
 * @param linkBytesPerSecond what all NVLinks of the GPU can carry in one direction; 0 if unknown
 */
public record PreparedDevice(
    CudaContext context,
    Kernels kernels,
    NvshmemRuntime runtime,
    GpuOffer offer,
    long linkBytesPerSecond) {
  private static final Logger LOG = LoggerFactory.getLogger(PreparedDevice.class);

  /** Window sizes are multiples of this. */
  private static final long GRANULE = 64L << 10;

  private static final long MIN_WINDOW = 1L << 20;

  /** Memory for contexts, NVSHMEM's state and other libraries. */
  private static final long RESERVE = 1L << 30;

  /** On small GPUs the reserve is this fraction of their memory. */
  private static final long RESERVE_SHARE = 16;

  /**
   * Describes this executor.
   *
   * @param pe its number
   * @param turn how many executors of its machine choose among the GPUs before it
   * @param node its machine, as {@link GpuOffer#node}
   * @param gpuAddresses the GPUs that Spark has assigned to it
   */
  public record Self(int pe, int turn, String node, List<String> gpuAddresses) {}

  /**
   * Prepares.
   *
   * @param config the settings
   * @param libraries NVIDIA's libraries and our kernels
   * @param self this executor
   * @return what is prepared, to be released or started
   * @throws NoDeviceException with the reason, if this executor cannot have a device heap; nothing
   *     is held then
   */
  public static PreparedDevice prepare(DeviceConfig config, DeviceLibraries libraries, Self self) {
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
                  NvshmemHeap.windowBytes(windowBytes), config.networkInterface()));
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
      return new PreparedDevice(
          context, kernels, runtime, offer, LinkRate.of(libraries.nvml().get(), device.uuid()));
    } catch (RuntimeException e) {
      if (kernels != null) {
        kernels.close();
      }
      context.close();
      throw e;
    }
  }

  /** Releases everything; NVSHMEM must not have been started. */
  public void release() {
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

  // NVSHMEM takes MIG instances for PEs that share a GPU, but they cannot reach each other.
  private static void refusePartitions(Nvml nvml, CudaDevice device) {
    if (isPartitioned(nvml, device)) {
      refuse(
          "the GPU at %s is divided into MIG instances, whose memory other GPUs cannot reach: disable MIG (nvidia-smi -mig 0)"
              .formatted(device.pciBusId()));
    }
  }

  private static boolean isPartitioned(Nvml nvml, CudaDevice device) {
    if (nvml.absence().isPresent()) {
      LOG.debug("Unknown whether {} is divided by MIG: {}", device, nvml.absence().get());
      return false;
    }
    try {
      return nvml.deviceAt(device.pciBusId()).isMigEnabled();
    } catch (NativeCallException e) {
      // A container may hide it. If the GPU is divided, NVSHMEM's start fails.
      LOG.debug("Unknown whether {} is divided by MIG", device, e);
      return false;
    }
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
