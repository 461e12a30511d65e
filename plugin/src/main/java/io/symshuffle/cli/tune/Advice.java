// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.MemoryLimits;
import io.symshuffle.plugin.config.ClusterSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Recommends settings for executors on one kind of machine. */
final class Advice {
  private static final long GIB = 1L << 30;
  private static final long GRANULE = 64L << 20;

  /** JVMs with more cores have longer pauses for garbage collection. */
  private static final int MAX_CORES = 16;

  private static final long MAX_JAVA_HEAP = 31 * GIB;
  private static final long MIN_JAVA_HEAP = GIB;
  private static final int PARTITIONS_PER_CORE = 3;
  private static final int MIN_PARTITIONS = 16;
  private static final int MANY_PARTITIONS = 4096;

  private final MachineFacts machine;
  private final Optional<JobFacts> job;

  Advice(MachineFacts machine, Optional<JobFacts> job) {
    this.machine = requireNonNull(machine, "machine is null");
    this.job = requireNonNull(job, "job is null");
  }

  List<Recommendation> settings() {
    List<Recommendation> settings = new ArrayList<>();
    boolean gpu = !machine.gpus().isEmpty();
    int executors = gpu ? machine.gpus().size() : Math.ceilDiv(machine.cores(), MAX_CORES);
    int cores = Math.max(1, machine.cores() / executors);
    settings.add(
        new Recommendation(
            "spark.plugins",
            "io.symshuffle.SymShufflePlugin",
            gpu
                ? "Enables SymShuffle; with the RAPIDS Accelerator use"
                    + " io.symshuffle.SymShufflePlugin,com.nvidia.spark.SQLPlugin, in this order"
                : "Enables SymShuffle; the plugin sets the shuffle manager itself"));
    settings.add(
        new Recommendation(
            "spark.executor.cores",
            Integer.toString(cores),
            gpu
                ? "The machine's cores divided by its GPUs: each executor has one GPU"
                : executors == 1
                    ? "One executor with all cores: all tasks on the machine share one heap"
                    : "%d executors with at most %d cores each have shorter pauses for garbage"
                            .formatted(executors, MAX_CORES)
                        + " collection, and still read each other's map outputs in place"));
    addMemory(settings, executors);
    addPartitions(settings);
    settings.add(
        new Recommendation(
            "spark.sql.classic.shuffleDependency.fileCleanup.enabled",
            "true",
            "Frees the map outputs of a query when it ends, so that the next query finds the heap"
                + " empty; by default they stay until a garbage collection of the driver"));
    if (gpu) {
      addGpu(settings, cores);
    }
    return settings;
  }

  private void addMemory(List<Recommendation> settings, int executors) {
    long system = Math.max(GIB, machine.memoryBytes() / 10);
    long usable = Math.max(machine.memoryBytes() - system, machine.memoryBytes() / 2);
    long share = usable * 3 / 10;
    String why = "30 % of the memory that the system leaves, divided among the executors";
    Optional<Long> needed = job.map(JobFacts::peakBytes).filter(bytes -> bytes > 0);
    if (needed.isPresent()) {
      long room = needed.get() + needed.get() / 4;
      if (room < share) {
        share = Math.max(room, executors * 4L * GRANULE);
        why =
            "The largest query in the log shuffles %s; this holds it with 25 %% to spare"
                .formatted(Amounts.bytes(needed.get()));
      } else {
        why +=
            "; the largest query in the log shuffles %s, so a single machine would write the rest"
                    .formatted(Amounts.bytes(needed.get()))
                + " to disk";
      }
    }
    if (share > machine.sharedBytes() / 5 * 4) {
      share = machine.sharedBytes() / 5 * 4;
      why = "80 % of /dev/shm, which is small: enlarge it (docker run --shm-size=...)";
    }
    long heap = Math.max(GRANULE, share / executors / GRANULE * GRANULE);
    long rest = (usable - heap * executors) / executors;
    long ofJvm = Math.max(0, rest - ClusterSettings.MAPPED_PEER_BYTES) * 85 / 100;
    long java = Math.clamp(ofJvm / GRANULE * GRANULE, MIN_JAVA_HEAP, MAX_JAVA_HEAP);
    long besides = MemoryLimits.jvmBytes(java) - java + ClusterSettings.MAPPED_PEER_BYTES;
    long overhead = heap + Math.ceilDiv(besides, GRANULE) * GRANULE;
    settings.add(
        new Recommendation(
            "spark.executor.memory",
            Amounts.setting(java),
            "The rest is for the Java heap; SymShuffle does not use it"));
    settings.add(
        new Recommendation(
            "spark.executor.memoryOverhead",
            Amounts.setting(overhead),
            "The symmetric heap, which counts as memory of the container on YARN and Kubernetes, 10"
                + " % of the Java heap (at least 384m), and 512m for pages of other executors'"
                + " heaps; elsewhere this has no effect"));
    settings.add(new Recommendation("spark.symshuffle.heap.size", Amounts.setting(heap), why));
  }

  private void addPartitions(List<Recommendation> settings) {
    int seen = job.map(JobFacts::maxPartitions).orElse(0);
    if (seen == 0) {
      settings.add(
          new Recommendation(
              "spark.sql.shuffle.partitions",
              Integer.toString(Math.max(MIN_PARTITIONS, PARTITIONS_PER_CORE * machine.cores())),
              "Three tasks per core of this machine; multiply by the number of machines. Adaptive"
                  + " query execution coalesces small partitions"));
    }
    if (seen > MANY_PARTITIONS) {
      settings.add(
          new Recommendation(
              "spark.symshuffle.staging.size",
              "4m",
              String.format(
                  Locale.ROOT,
                  "A shuffle in the log has %,d partitions; a larger buffer makes fewer runs",
                  seen)));
    }
  }

  private void addGpu(List<Recommendation> settings, int cores) {
    settings.add(
        new Recommendation(
            "spark.executor.resource.gpu.amount", "1", "Each executor owns one GPU"));
    settings.add(
        new Recommendation(
            "spark.task.resource.gpu.amount",
            String.format(Locale.ROOT, "%.4f", Math.floor(10_000.0 / cores) / 10_000),
            "The tasks on all cores share the executor's GPU"));
    settings.add(
        new Recommendation(
            "spark.symshuffle.device.pes",
            Integer.toString(machine.gpus().size()),
            "The driver starts the device heaps when this many executors have registered; multiply"
                + " by the number of machines"));
    settings.add(
        new Recommendation(
            "spark.rapids.memory.gpu.allocFraction",
            "0.6",
            "Leaves room for the device heap (spark.symshuffle.device.heap.size, 0.3 of the GPU);"
                + " without RAPIDS this has no effect"));
  }
}
