// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.gpu.CudaHeap;
import io.symshuffle.heap.host.ProcessLimits;
import io.symshuffle.plugin.config.DeviceConfig;
import io.symshuffle.plugin.config.RapidsMemory;
import io.symshuffle.plugin.device.DeviceBackend.Choice;
import io.symshuffle.plugin.device.DeviceStep.Opened;
import io.symshuffle.shuffle.device.DeviceTier;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens an executor's device heap of CUDA memory, which needs no other executor: prepares the GPU,
 * opens the heap in the application's folder, and tells the driver. Failures are not thrown; the
 * result has the reason. Used once, by the thread that starts the executor.
 */
public final class CudaStart {
  private static final Logger LOG = LoggerFactory.getLogger(CudaStart.class);

  private final DeviceConfig config;
  private final Optional<RapidsMemory> rapids;
  private final DeviceLibraries libraries;
  private final Choice choice;
  private final DeviceDriver driver;

  /**
   * @param rapids what RAPIDS must have when it starts after this; empty if it does not
   * @param choice why CUDA's memory is used
   */
  public CudaStart(
      DeviceConfig config,
      Optional<RapidsMemory> rapids,
      DeviceLibraries libraries,
      Choice choice,
      DeviceDriver driver) {
    this.config = config;
    this.rapids = rapids;
    this.libraries = libraries;
    this.choice = choice;
    this.driver = driver;
  }

  /**
   * Prepares the GPU and opens the heap.
   *
   * @param folder the application's folder, which this process holds
   * @return the heap, or why there is none; nothing is held then
   * @throws InterruptedException if the thread is interrupted
   */
  public DeviceResult open(PreparedGpu.Executor self, HeapFolder folder)
      throws InterruptedException {
    PreparedGpu gpu;
    try {
      gpu =
          PreparedGpu.open(
              PreparedGpu.choose(libraries, self),
              libraries,
              self,
              context -> config.heapSize().of(context.memory().totalBytes()));
    } catch (NoDeviceException e) {
      return driver.decline(config, e.getMessage(), e.isWithoutGpu() && !config.isExpected());
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("The GPU cannot be used", e);
      return driver.decline(config, text(e), false);
    }
    CudaHeap heap;
    try {
      heap =
          CudaHeap.open(
              gpu.context(),
              folder,
              self.pe(),
              gpu.windowBytes(),
              config.chunkSize().bytes(),
              rapids.map(RapidsMemory::reserve).orElse(0L),
              config.peerAccess());
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("The device heap cannot be opened", e);
      gpu.release();
      return driver.decline(config, text(e), false);
    }
    Optional<GpuReserve> reserve = rapids.flatMap(needs -> reserve(gpu, needs));
    tellDriver();
    ProcessLimits.probe()
        .shortage(heap.pes().size() - 1, 1, heap.size() / config.chunkSize().bytes())
        .ifPresent(LOG::warn);
    LOG.info(
        "This executor has a device heap of CUDA memory, which grows to at most {} MiB: {}",
        heap.size() >> 20,
        choice.reason());
    return new DeviceResult.Active(
        new DeviceMember(
            new DeviceTier(heap, gpu.kernels()),
            choice,
            () -> reserve.ifPresent(GpuReserve::close),
            () -> {
              reserve.ifPresent(GpuReserve::close);
              gpu.context().close();
            },
            gpu.linkBytesPerSecond()));
  }

  /** Holds what the heap may have, as far as RAPIDS can spare it, until RAPIDS has its pool. */
  private static Optional<GpuReserve> reserve(PreparedGpu gpu, RapidsMemory needs) {
    try {
      CudaContext.MemoryInfo memory = gpu.context().memory();
      long spare = needs.spare(memory.freeBytes(), memory.totalBytes());
      return GpuReserve.take(gpu.context(), Math.min(gpu.windowBytes(), spare));
    } catch (RuntimeException e) {
      LOG.warn("The device heap has only the GPU memory that RAPIDS leaves", e);
      return Optional.empty();
    }
  }

  /** The driver counts device heaps, and does not wait for this executor. */
  private void tellDriver() throws InterruptedException {
    try {
      driver.report(new Opened());
    } catch (IOException | TimeoutException e) {
      LOG.debug("Cannot tell the driver about the device heap", e);
    }
  }

  private static String text(Throwable e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }
}
