// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import io.symshuffle.plugin.rapids.RapidsChoice;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What somebody who knows Spark and RAPIDS sets, whatever the shuffle manager: {@code tune} prints
 * it, {@code doctor} looks for it, and comparisons set it for every manager.
 */
public final class ExpertSettings {
  /** The Java options of executors, to which those of the user are added. */
  public static final String JAVA_OPTIONS = "spark.executor.defaultJavaOptions";

  /** How long a task waits for an executor that is near its input. */
  public static final String LOCALITY_WAIT = "spark.locality.wait";

  /** The pinned memory of RAPIDS. */
  public static final String PINNED_POOL = "spark.rapids.memory.pinnedPool.size";

  /** The number of files whose footers a thread of RAPIDS reads. */
  public static final String FILTER_PARALLEL =
      "spark.rapids.sql.coalescing.reader.numFilterParallel";

  /** The number of tasks that use a GPU at a time, with which RAPIDS starts. */
  public static final String GPU_TASKS = "spark.rapids.sql.concurrentGpuTasks";

  /** The most bytes of files that a task reads. */
  public static final String INPUT_BYTES = "spark.sql.files.maxPartitionBytes";

  /** The number of partitions of a shuffle. */
  public static final String PARTITIONS = "spark.sql.shuffle.partitions";

  /** The keys of all these settings. */
  public static final Set<String> KEYS =
      Set.of(
          JAVA_OPTIONS,
          LOCALITY_WAIT,
          PINNED_POOL,
          FILTER_PARALLEL,
          GPU_TASKS,
          INPUT_BYTES,
          PARTITIONS);

  /** More tasks on a GPU were not faster. */
  public static final int MAX_GPU_TASKS = 4;

  private static final long GIB = 1L << 30;
  private static final long MIB = 1L << 20;
  private static final int MAX_COLLECTOR_THREADS = 8;
  private static final long MAX_PINNED = 8 * GIB;

  private ExpertSettings() {}

  /**
   * Returns the settings of executors with and without GPUs.
   *
   * @param cores of an executor
   * @param javaHeap bytes of its Java heap
   */
  public static List<Recommendation> ofExecutors(int cores, long javaHeap) {
    return List.of(
        new Recommendation(
            JAVA_OPTIONS,
            "-Xms%dm -XX:ParallelGCThreads=%d"
                .formatted(javaHeap / 3 * 2 / MIB, Math.min(cores, MAX_COLLECTOR_THREADS)),
            "The Java heap starts with two thirds of its size instead of growing from collection to"
                + " collection; and the collector has no more threads than the executor has cores,"
                + " at most 8: by default each JVM starts threads for all cores of the machine"),
        new Recommendation(
            LOCALITY_WAIT,
            "0s",
            "Tasks start on any free core: waiting 3 s for one near their input costs more than"
                + " reading it from there"));
  }

  /**
   * Returns the settings of executors with a GPU each.
   *
   * @param tasks that use a GPU at a time
   * @param pinned bytes of pinned memory of an executor
   * @param partitions of a shuffle; 0 for Spark's default
   */
  public static List<Recommendation> onGpus(int tasks, long pinned, int partitions) {
    List<Recommendation> settings = new ArrayList<>();
    settings.add(
        new Recommendation(
            PINNED_POOL,
            pinned / MIB + "m",
            "Pinned memory of RAPIDS; by default it has none, and each copy between host and GPU is"
                + " pageable"));
    settings.add(
        new Recommendation(
            GPU_TASKS, Integer.toString(tasks), "With as many tasks on a GPU RAPIDS starts"));
    settings.add(
        new Recommendation(
            FILTER_PARALLEL,
            "1",
            "RAPIDS reads the footers of a task's files in parallel; by default one after another,"
                + " 13 to 15 ms for each file of any size"));
    settings.add(
        new Recommendation(
            INPUT_BYTES,
            "256m",
            "A scanning task gives the GPU larger batches than with the default of 128m"));
    if (partitions > 0) {
      settings.add(
          new Recommendation(
              PARTITIONS,
              Integer.toString(partitions),
              "Fewer and larger tables than with Spark's default of "
                  + RapidsChoice.DEFAULT_PARTITIONS));
    }
    return settings;
  }

  /**
   * Returns the size of the pinned memory of RAPIDS: an eighth of the memory of an executor, of 1
   * to 8 GiB.
   *
   * @param container bytes of all memory of the executor
   */
  public static long pinned(long container) {
    return Math.clamp(container / 8 / GIB * GIB, GIB, MAX_PINNED);
  }
}
