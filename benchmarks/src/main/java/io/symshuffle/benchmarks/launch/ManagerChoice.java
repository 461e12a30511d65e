// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A shuffle manager in a comparison: its name and the settings that select it. */
public enum ManagerChoice {
  /** Spark's sort shuffle with its defaults: blocks compressed with lz4. */
  SORT("sort"),
  /** The same with blocks compressed with zstd. */
  SORT_ZSTD("sort-zstd"),
  /** The same without compression, which is the fairer rival of an in-memory shuffle. */
  SORT_NOCOMPRESS("sort-nocompress"),
  /** Sort shuffle with its files in memory, which users can have without any plugin. */
  SORT_SHM("sort-shm"),
  /** The same without compression. */
  SORT_SHM_NOCOMPRESS("sort-shm-nocompress"),
  /** SymShuffle with its defaults. */
  SYMSHUFFLE("symshuffle"),
  /** The same without compression between hosts, which shows what compression costs or saves. */
  SYMSHUFFLE_NOCOMPRESS("symshuffle-nocompress"),
  /** The RAPIDS Accelerator with Spark's sort shuffle, its default. */
  RAPIDS("rapids"),
  /** The RAPIDS Accelerator with its multi-threaded shuffle manager. */
  RAPIDS_MULTITHREADED("rapids-multithreaded"),
  /** The same with {@code skipMerge=true}: map tasks do not merge their partial files. */
  RAPIDS_MULTITHREADED_SKIPMERGE("rapids-multithreaded-skipmerge"),
  /** The RAPIDS Accelerator with SymShuffle. */
  RAPIDS_SYMSHUFFLE("rapids-symshuffle"),
  /** The same without Spark's order-independent row checksums, which shows what they cost. */
  RAPIDS_SYMSHUFFLE_NO_ROW_CHECKSUMS("rapids-symshuffle-no-row-checksums");

  private static final String RAPIDS_PLUGIN = "com.nvidia.spark.SQLPlugin";
  private static final String OUR_PLUGIN = "io.symshuffle.SymShufflePlugin";
  private static final String LOCAL_DIR = "spark.local.dir";
  private static final String SHARED_MEMORY = "/dev/shm";
  private static final String ROW_CHECKSUM = "spark.sql.shuffle.orderIndependentChecksum";

  private final String label;

  ManagerChoice(String label) {
    this.label = label;
  }

  /** Returns the name on the command line and in reports. */
  public String label() {
    return label;
  }

  /** Returns the Spark settings that select it. */
  public Map<String, String> settings() {
    return switch (this) {
      case SORT -> Map.of("spark.shuffle.manager", "sort");
      case SORT_ZSTD ->
          Map.of("spark.shuffle.manager", "sort", "spark.io.compression.codec", "zstd");
      case SORT_NOCOMPRESS ->
          Map.of("spark.shuffle.manager", "sort", "spark.shuffle.compress", "false");
      case SORT_SHM -> Map.of("spark.shuffle.manager", "sort", LOCAL_DIR, SHARED_MEMORY);
      case SORT_SHM_NOCOMPRESS ->
          Map.of(
              "spark.shuffle.manager",
              "sort",
              LOCAL_DIR,
              SHARED_MEMORY,
              "spark.shuffle.compress",
              "false");
      case SYMSHUFFLE -> Map.of("spark.plugins", OUR_PLUGIN);
      case SYMSHUFFLE_NOCOMPRESS ->
          Map.of("spark.plugins", OUR_PLUGIN, "spark.symshuffle.transfer.compression", "none");
      case RAPIDS -> Map.of("spark.plugins", RAPIDS_PLUGIN, "spark.shuffle.manager", "sort");
      case RAPIDS_MULTITHREADED ->
          Map.of(
              "spark.plugins",
              RAPIDS_PLUGIN,
              "spark.shuffle.manager",
              "com.nvidia.spark.rapids.spark420.RapidsShuffleManager");
      case RAPIDS_MULTITHREADED_SKIPMERGE ->
          Map.of(
              "spark.plugins",
              RAPIDS_PLUGIN,
              "spark.shuffle.manager",
              "com.nvidia.spark.rapids.spark420.RapidsShuffleManager",
              "spark.rapids.shuffle.multithreaded.skipMerge",
              "true");
      case RAPIDS_SYMSHUFFLE -> Map.of("spark.plugins", OUR_PLUGIN + "," + RAPIDS_PLUGIN);
      case RAPIDS_SYMSHUFFLE_NO_ROW_CHECKSUMS ->
          Map.of(
              "spark.plugins",
              OUR_PLUGIN + "," + RAPIDS_PLUGIN,
              ROW_CHECKSUM + ".enabled",
              "false",
              ROW_CHECKSUM + ".enableFullRetryOnMismatch",
              "false");
    };
  }

  /** Returns whether it needs our jar. */
  public boolean needsPlugin() {
    return switch (this) {
      case SYMSHUFFLE, SYMSHUFFLE_NOCOMPRESS -> true;
      case RAPIDS_SYMSHUFFLE, RAPIDS_SYMSHUFFLE_NO_ROW_CHECKSUMS -> true;
      case SORT, SORT_ZSTD, SORT_NOCOMPRESS, SORT_SHM, SORT_SHM_NOCOMPRESS -> false;
      case RAPIDS, RAPIDS_MULTITHREADED, RAPIDS_MULTITHREADED_SKIPMERGE -> false;
    };
  }

  /** Returns whether its queries run on GPUs. */
  public boolean needsRapids() {
    return switch (this) {
      case SORT, SORT_ZSTD, SORT_NOCOMPRESS, SORT_SHM, SORT_SHM_NOCOMPRESS -> false;
      case SYMSHUFFLE, SYMSHUFFLE_NOCOMPRESS -> false;
      case RAPIDS, RAPIDS_MULTITHREADED, RAPIDS_MULTITHREADED_SKIPMERGE -> true;
      case RAPIDS_SYMSHUFFLE, RAPIDS_SYMSHUFFLE_NO_ROW_CHECKSUMS -> true;
    };
  }

  /**
   * Returns whether it sets the local folder of its executors, which a cluster's workers override.
   */
  public boolean setsLocalFolder() {
    return this == SORT_SHM || this == SORT_SHM_NOCOMPRESS;
  }

  /** Returns whether its executors have heaps in GPU memory. */
  public boolean hasDeviceHeap() {
    return needsRapids() && needsPlugin();
  }

  /**
   * Returns what is compared with RAPIDS by default, baseline first: its multi-threaded manager,
   * which was faster than RAPIDS over Spark's sort shuffle in all our measurements.
   */
  public static List<ManagerChoice> underRapids() {
    return List.of(RAPIDS_MULTITHREADED, RAPIDS_SYMSHUFFLE);
  }

  /**
   * Returns the managers with these names, in the same order.
   *
   * @throws CliException if a name is unknown or is given twice
   */
  public static List<ManagerChoice> named(List<String> labels) {
    List<ManagerChoice> choices = labels.stream().map(ManagerChoice::named).toList();
    if (choices.stream().distinct().count() != choices.size()) {
      throw CliException.wrongUsage(
          "--managers names a manager twice: " + String.join(",", labels) + ".");
    }
    return choices;
  }

  private static ManagerChoice named(String label) {
    return Arrays.stream(values())
        .filter(choice -> choice.label.equals(label.strip().toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () ->
                CliException.wrongUsage(
                    "Unknown manager '"
                        + label
                        + "'; choose from "
                        + String.join(
                            ", ", Arrays.stream(values()).map(ManagerChoice::label).toList())
                        + "."));
  }
}
