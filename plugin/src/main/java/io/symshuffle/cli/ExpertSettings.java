// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What an expert of Spark and RAPIDS sets, with any shuffle manager: {@code tune} prints it, {@code
 * doctor} looks for it, and comparisons set it for every manager.
 */
public final class ExpertSettings {
  /** The Java options of executors, to which those of the user are added. */
  public static final String JAVA_OPTIONS = "spark.executor.defaultJavaOptions";

  /** How long a task waits for an executor that is near its input. */
  public static final String LOCALITY_WAIT = "spark.locality.wait";

  /** The pinned memory of RAPIDS. */
  public static final String PINNED_POOL = "spark.rapids.memory.pinnedPool.size";

  /** The number of tasks that use a GPU at a time, with which RAPIDS starts. */
  public static final String GPU_TASKS = "spark.rapids.sql.concurrentGpuTasks";

  /** The most bytes of files that a task reads. */
  public static final String INPUT_BYTES = "spark.sql.files.maxPartitionBytes";

  /** The number of partitions of a shuffle. */
  public static final String PARTITIONS = "spark.sql.shuffle.partitions";

  /** The keys of all these settings. */
  public static final Set<String> KEYS =
      Set.of(JAVA_OPTIONS, LOCALITY_WAIT, PINNED_POOL, GPU_TASKS, INPUT_BYTES, PARTITIONS);

  /** More tasks on a GPU were not faster. */
  public static final int MAX_GPU_TASKS = 4;

  /** What the settings for GPUs bring together, a sentence. */
  public static final String TOGETHER =
      "Measured on two H200, with settings made by the same rules and input files of 150 MB: the 22"
          + " queries of TPC-H at scale 100 took 31.1 s with SymShuffle, and 78.7 s with RAPIDS'"
          + " own shuffle manager.";

  /** What each setting does, a sentence without its final period. */
  private static final Map<String, String> EFFECT =
      Map.of(
          JAVA_OPTIONS,
          "The Java heap starts with two thirds of its size instead of growing from one collection"
              + " to the next. The collector has a thread for each core of the executor, at most 8;"
              + " by default each executor has threads for all cores of the machine, 43 on 64",
          LOCALITY_WAIT,
          "Tasks start on any free core at once; by default they wait up to 3 s for one that is"
              + " near their input",
          PINNED_POOL,
          "Pinned memory of RAPIDS, which counts as memory of the executor; by default there is"
              + " none, and copies between host and GPU are pageable",
          INPUT_BYTES,
          "Larger batches for the GPU than with the default of 128m; Spark makes them smaller if"
              + " cores would be idle",
          GPU_TASKS,
          "A task for each 5 GiB of RAPIDS' pool, at most 4; more would spill or fail. RAPIDS"
              + " adapts the number as it runs",
          PARTITIONS,
          "64 on one GPU, 128 on up to four, otherwise 200 or two for each concurrent task; more if"
              + " the largest query in the log would not fit into a quarter of what a task has of"
              + " the pool");

  /** How much longer four queries of TPC-H took on two H200 without a setting, in percent. */
  private static final Map<String, Integer> LONGER_WITHOUT =
      Map.of(INPUT_BYTES, 26, PINNED_POOL, 16, JAVA_OPTIONS, 15, LOCALITY_WAIT, 5);

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
        setting(
            JAVA_OPTIONS,
            "-Xms%dm -XX:ParallelGCThreads=%d"
                .formatted(javaHeap / 3 * 2 / MIB, Math.min(cores, MAX_COLLECTOR_THREADS))),
        setting(LOCALITY_WAIT, "0s"));
  }

  private static Recommendation setting(String key, String value) {
    Integer longer = LONGER_WITHOUT.get(key);
    return new Recommendation(
        key,
        value,
        longer == null
            ? EFFECT.get(key)
            : "%s. Without it, four queries of TPC-H on two H200 took %d %% longer"
                .formatted(EFFECT.get(key), longer));
  }

  /** Returns a byte size as the value of a setting, in GiB if that is exact, else in MiB. */
  public static String size(long bytes) {
    return bytes % GIB == 0 ? bytes / GIB + "g" : bytes / MIB + "m";
  }

  /**
   * Returns the settings of executors with a GPU each.
   *
   * @param tasks that use a GPU at a time; 0 to let RAPIDS choose
   * @param pinned bytes of pinned memory of an executor
   * @param partitions of a shuffle; 0 for Spark's default
   */
  public static List<Recommendation> onGpus(int tasks, long pinned, int partitions) {
    List<Recommendation> settings = new ArrayList<>();
    settings.add(setting(PINNED_POOL, size(pinned)));
    settings.add(setting(INPUT_BYTES, "256m"));
    if (tasks > 0) {
      settings.add(setting(GPU_TASKS, Integer.toString(tasks)));
    }
    if (partitions > 0) {
      settings.add(setting(PARTITIONS, Integer.toString(partitions)));
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
