// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.plugin.config.DeviceConfig;
import io.symshuffle.plugin.config.RapidsMemory;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.plugin.device.CudaStart;
import io.symshuffle.plugin.device.DeviceBackend;
import io.symshuffle.plugin.device.DeviceBackend.Choice;
import io.symshuffle.plugin.device.DeviceDriver;
import io.symshuffle.plugin.device.DeviceLibraries;
import io.symshuffle.plugin.device.DeviceResult;
import io.symshuffle.plugin.device.PreparedGpu;
import io.symshuffle.plugin.device.nvshmem.ExpectedPes;
import io.symshuffle.plugin.device.nvshmem.NvshmemStart;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chooses whose memory an executor's device heap is, and opens it: together with the other
 * executors of the machine if it is NVSHMEM's, alone if it is CUDA's.
 */
final class DeviceOpener {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceOpener.class);

  private final SymShuffleConfig config;
  private final SparkConf conf;
  private final DeviceLibraries libraries;
  private final DeviceDriver driver;

  /**
   * @param conf the application's settings, from which {@code config} was read
   */
  DeviceOpener(
      SymShuffleConfig config, SparkConf conf, DeviceLibraries libraries, DeviceDriver driver) {
    this.config = config;
    this.conf = conf;
    this.libraries = libraries;
    this.driver = driver;
  }

  /**
   * Opens the device heap of an executor that has joined.
   *
   * @param folder the application's folder, which this process holds
   * @return the device heap, or why there is none
   * @throws InterruptedException if the thread is interrupted
   */
  DeviceResult open(PreparedGpu.Executor executor, HeapFolder folder) throws InterruptedException {
    Optional<String> unused = unused();
    if (unused.isPresent()) {
      return new DeviceResult.HostHeap(unused.get(), true);
    }
    Choice choice =
        DeviceBackend.choose(config, () -> conflictWithRapids(executor), this::nvshmemProblem);
    return choice.backend() == DeviceBackend.CUDA
        ? new CudaStart(config.device(), RapidsMemory.of(conf), libraries, choice, driver)
            .open(executor, folder)
        : new NvshmemStart(config.device(), libraries, choice, driver).start(executor);
  }

  /**
   * Returns what an executor has that could not join, and therefore cannot open a device heap.
   *
   * @param problem why it could not join, a sentence
   */
  DeviceResult withoutDriver(String problem) {
    return unused()
        .<DeviceResult>map(reason -> new DeviceResult.HostHeap(reason, true))
        .orElseGet(
            () ->
                config.device().required()
                    ? new DeviceResult.Refused(problem)
                    : new DeviceResult.HostHeap("the executor cannot join", true));
  }

  /** Why the application has no use for a device heap; empty if it has. */
  private Optional<String> unused() {
    DeviceConfig device = config.device();
    if (!device.isOn()) {
      return Optional.of("%s is false".formatted(Settings.DEVICE_ENABLED.key()));
    }
    if (!config.keepsDataOnDevice() && device.enabled().isEmpty() && !device.required()) {
      return Optional.of("nothing would use it");
    }
    return Optional.empty();
  }

  private Optional<String> nvshmemProblem() {
    return ExpectedPes.of(conf, config.device())
        .problem()
        .or(() -> libraries.nvshmem().apply(config.device().nvshmemHome()).absence());
  }

  private Optional<String> conflictWithRapids(PreparedGpu.Executor executor) {
    try {
      Optional<RapidsMemory> rapids = RapidsMemory.of(conf);
      if (rapids.isEmpty()) {
        return Optional.empty();
      }
      long gpuBytes = PreparedGpu.choose(libraries, executor).memoryBytes();
      return rapids.get().conflict(config.device().heapSize().of(gpuBytes), gpuBytes);
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("Sizes are unknown; RAPIDS or the start of the device heap says why", e);
      return Optional.empty();
    }
  }
}
