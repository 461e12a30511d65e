// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import com.sun.management.OperatingSystemMXBean;
import io.symshuffle.cli.doctor.GpuFacts;
import io.symshuffle.heap.host.HeapPlace;
import io.symshuffle.plugin.config.ByteSize;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The properties of a machine on which settings depend.
 *
 * @param cores that an application may use
 * @param memoryBytes memory of the machine or of the container
 * @param sharedBytes free space in /dev/shm
 * @param gpuBytes memory of the GPU with the least; 0 if unknown
 */
record MachineFacts(
    int cores, long memoryBytes, long sharedBytes, List<String> gpus, long gpuBytes) {
  /** The name of a GPU of another machine. */
  static final String UNNAMED = "GPU";

  private static final Duration MAX_QUERY_TIME = Duration.ofSeconds(30);
  private static final long GIB = 1L << 30;

  MachineFacts {
    gpus = List.copyOf(gpus);
    if (cores < 1 || memoryBytes < 1 || sharedBytes < 0 || gpuBytes < 0) {
      throw new IllegalArgumentException(
          "invalid machine: %d cores, %d bytes of memory, %d bytes of shared memory, GPUs of %d bytes"
              .formatted(cores, memoryBytes, sharedBytes, gpuBytes));
    }
  }

  /**
   * Examines the machine that this process runs on.
   *
   * @param withGpus whether to ask the CUDA driver, which takes a second; without it there are none
   */
  static MachineFacts probe(boolean withGpus) {
    List<GpuFacts.Gpu> gpus = withGpus ? GpuFacts.query(MAX_QUERY_TIME).gpus() : List.of();
    return new MachineFacts(
        Runtime.getRuntime().availableProcessors(),
        memory(),
        HeapPlace.probe(Path.of("/dev/shm"), "spark.symshuffle.heap.dir").usableBytes(),
        gpus.stream().map(GpuFacts.Gpu::name).toList(),
        gpus.stream().mapToLong(GpuFacts.Gpu::totalBytes).min().orElse(0));
  }

  /** Returns the memory that the system leaves: nine tenths, but the system needs 1 GiB. */
  long memoryForExecutors() {
    long system = Math.max(GIB, memoryBytes / 10);
    return Math.max(memoryBytes - system, memoryBytes / 2);
  }

  /** All memory of the machine or container, free and used: the application will have it all. */
  private static long memory() {
    return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
  }

  @Override
  public String toString() {
    return "%s, %s of memory%s, %s"
        .formatted(
            Amounts.count(cores, "core"),
            ByteSize.text(memoryBytes),
            sharedBytes == Long.MAX_VALUE
                ? ""
                : ", %s in /dev/shm".formatted(ByteSize.text(sharedBytes)),
            switch (gpus.isEmpty() ? "" : gpus.getFirst()) {
              case "" -> "no GPU";
              case UNNAMED -> Amounts.count(gpus.size(), UNNAMED);
              default -> gpus.size() + " x " + gpus.getFirst();
            });
  }
}
