// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDevice;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.nvml.Nvml;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor's GPU before it has a device heap: its context and the kernels, loaded.
 *
 * @param context the GPU's primary context
 * @param windowBytes the size of the window that it can have
 * @param linkBytesPerSecond what all NVLinks of the GPU can carry in one direction; 0 if unknown
 */
public record PreparedGpu(
    CudaContext context, Kernels kernels, long windowBytes, long linkBytesPerSecond) {
  private static final Logger LOG = LoggerFactory.getLogger(PreparedGpu.class);

  /**
   * An executor that needs a GPU.
   *
   * @param localRank how many executors of its machine choose among the GPUs before it
   * @param bootId the boot id of its kernel; empty if unknown
   * @param gpuAddresses the GPUs that Spark has assigned to it
   */
  public record Executor(int pe, int localRank, String bootId, List<String> gpuAddresses) {}

  /**
   * Chooses the GPU.
   *
   * @return the GPU that Spark has assigned to the executor, or the one of its local rank
   * @throws NoDeviceException with the reason, if there is no suitable one
   */
  public static CudaDevice choose(DeviceLibraries libraries, Executor self) {
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
    CudaDevice device =
        driver.device(GpuChoice.choose(self.gpuAddresses(), visible, self.localRank()));
    refusePartitions(libraries.nvml().get(), device);
    return device;
  }

  // Other GPUs cannot reach the memory of MIG instances.
  private static void refusePartitions(Nvml nvml, CudaDevice device) {
    if (isPartitioned(nvml, device)) {
      throw new NoDeviceException(
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
      // A container may hide it. If the GPU is divided, opening the heap fails.
      LOG.debug("Unknown whether {} is divided by MIG", device, e);
      return false;
    }
  }

  /**
   * Creates the context and loads the kernels.
   *
   * @param window calculates the size of the window
   * @return what is prepared, to be released or used
   * @throws NoDeviceException with the reason, if the GPU cannot be used; nothing is held then
   */
  public static PreparedGpu open(
      CudaDevice device,
      DeviceLibraries libraries,
      Executor self,
      ToLongFunction<CudaContext> window) {
    KernelImage image = libraries.kernels().get();
    image
        .absence()
        .ifPresent(
            reason -> {
              throw new NoDeviceException(reason);
            });
    CudaContext context = device.openPrimaryContext();
    try {
      long windowBytes = window.applyAsLong(context);
      Kernels kernels = Kernels.load(context, image, self.pe());
      LOG.info(
          "The GPU of this executor is {} ({}, {})",
          device.name(),
          device.pciBusId(),
          device.uuid());
      return new PreparedGpu(
          context, kernels, windowBytes, LinkRate.of(libraries.nvml().get(), device.uuid()));
    } catch (RuntimeException e) {
      context.close();
      throw e;
    }
  }

  /** Releases everything. */
  public void release() {
    kernels.close();
    context.close();
  }
}
