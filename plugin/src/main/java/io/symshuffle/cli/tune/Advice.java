// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Settings for executors on one kind of machine. */
final class Advice {
  private static final long GIB = 1L << 30;
  private static final long GRANULE = 64L << 20;

  /** A JVM with more cores stops longer for its garbage collection. */
  private static final int CORES_EACH = 16;

  private static final long MOST_JAVA_HEAP = 31 * GIB;
  private static final long LEAST_JAVA_HEAP = GIB;
  private static final int PARTITIONS_PER_CORE = 3;
  private static final int LEAST_PARTITIONS = 16;
  private static final int MANY_PARTITIONS = 4096;

  private final MachineFacts machine;
  private final Optional<JobFacts> job;

  Advice(MachineFacts machine, Optional<JobFacts> job) {
    this.machine = requireNonNull(machine, "machine is null");
    this.job = requireNonNull(job, "job is null");
  }

  List<Line> lines() {
    List<Line> lines = new ArrayList<>();
    boolean gpu = !machine.gpus().isEmpty();
    int executors = gpu ? machine.gpus().size() : Math.ceilDiv(machine.cores(), CORES_EACH);
    int cores = Math.max(1, machine.cores() / executors);
    lines.add(
        new Line(
            "spark.plugins",
            "io.symshuffle.SymShufflePlugin",
            gpu
                ? "switches SymShuffle on; with the RAPIDS Accelerator write"
                    + " io.symshuffle.SymShufflePlugin,com.nvidia.spark.SQLPlugin, in this order"
                : "switches SymShuffle on; it sets the shuffle manager itself"));
    lines.add(
        new Line(
            "spark.executor.cores",
            Integer.toString(cores),
            gpu
                ? "the machine's cores divided by its GPUs: an executor has one GPU"
                : executors == 1
                    ? "all cores in one executor: all tasks of the machine share one heap"
                    : "%d executors of at most %d cores: shorter pauses for garbage collection, and"
                            .formatted(executors, CORES_EACH)
                        + " they read each other's map outputs in place all the same"));
    addMemory(lines, executors);
    addPartitions(lines);
    lines.add(
        new Line(
            "spark.sql.classic.shuffleDependency.fileCleanup.enabled",
            "true",
            "frees a query's map outputs at its end, so that the next one finds the heap empty;"
                + " by default they stay until the driver's garbage collection"));
    if (gpu) {
      addGpu(lines, cores);
    }
    return lines;
  }

  private void addMemory(List<Line> lines, int executors) {
    long system = Math.max(GIB, machine.memoryBytes() / 10);
    long usable = Math.max(machine.memoryBytes() - system, machine.memoryBytes() / 2);
    long share = usable * 3 / 10;
    String why = "three tenths of the memory that the system leaves, a share for each executor";
    Optional<Long> needed = job.map(JobFacts::peakBytes).filter(bytes -> bytes > 0);
    if (needed.isPresent()) {
      long room = needed.get() + needed.get() / 4;
      if (room < share) {
        share = Math.max(room, executors * 4L * GRANULE);
        why =
            "the largest query of the log shuffles %s; this holds it with a quarter to spare"
                .formatted(Amounts.bytes(needed.get()));
      } else {
        why +=
            "; the largest query of the log shuffles %s, so one machine alone would send the rest to"
                    .formatted(Amounts.bytes(needed.get()))
                + " disk";
      }
    }
    if (share > machine.sharedBytes() / 5 * 4) {
      share = machine.sharedBytes() / 5 * 4;
      why = "four fifths of /dev/shm, which is small: enlarge it (docker run --shm-size=...)";
    }
    long heap = Math.max(GRANULE, share / executors / GRANULE * GRANULE);
    long rest = (usable - heap * executors) / executors;
    long java = Math.clamp(rest * 85 / 100 / GRANULE * GRANULE, LEAST_JAVA_HEAP, MOST_JAVA_HEAP);
    long overhead = heap + Math.max(384L << 20, (rest - java) / 2) / GRANULE * GRANULE;
    lines.add(
        new Line(
            "spark.executor.memory",
            Amounts.setting(java),
            "what is left for the Java heap; SymShuffle needs none of it"));
    lines.add(
        new Line(
            "spark.executor.memoryOverhead",
            Amounts.setting(overhead),
            "the symmetric heap counts as the container's memory on YARN and Kubernetes, so it is"
                + " in here; elsewhere this does nothing"));
    lines.add(new Line("spark.symshuffle.heap.size", Amounts.setting(heap), why));
  }

  private void addPartitions(List<Line> lines) {
    int seen = job.map(JobFacts::mostPartitions).orElse(0);
    if (seen == 0) {
      lines.add(
          new Line(
              "spark.sql.shuffle.partitions",
              Integer.toString(Math.max(LEAST_PARTITIONS, PARTITIONS_PER_CORE * machine.cores())),
              "three tasks a core of this machine; multiply by the number of machines. Adaptive"
                  + " execution joins small ones"));
    }
    if (seen > MANY_PARTITIONS) {
      lines.add(
          new Line(
              "spark.symshuffle.staging.size",
              "4m",
              String.format(
                  Locale.ROOT,
                  "a shuffle of the log has %,d partitions: a larger buffer makes fewer runs",
                  seen)));
    }
  }

  private void addGpu(List<Line> lines, int cores) {
    lines.add(new Line("spark.executor.resource.gpu.amount", "1", "each executor owns one GPU"));
    lines.add(
        new Line(
            "spark.task.resource.gpu.amount",
            String.format(Locale.ROOT, "%.4f", Math.floor(10_000.0 / cores) / 10_000),
            "as many tasks as cores share the executor's GPU"));
    lines.add(
        new Line(
            "spark.symshuffle.device.pes",
            Integer.toString(machine.gpus().size()),
            "the driver starts the device heaps when so many executors are there; multiply by the"
                + " number of machines"));
    lines.add(
        new Line(
            "spark.rapids.memory.gpu.allocFraction",
            "0.6",
            "leaves room for the device heap (spark.symshuffle.device.heap.size, 0.3 of the GPU);"
                + " without RAPIDS this does nothing"));
  }
}
