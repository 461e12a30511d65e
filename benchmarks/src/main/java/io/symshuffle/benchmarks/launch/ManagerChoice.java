// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A way to shuffle that takes part in a comparison: its name and the settings that choose it. */
public enum ManagerChoice {
  /** Spark's own shuffle, as it comes: blocks compressed with lz4. */
  SORT("sort"),
  /** The same without compression: what an in-memory shuffle should be measured against as well. */
  SORT_NOCOMPRESS("sort-nocompress"),
  /** Ours, by its one setting. */
  SYMSHUFFLE("symshuffle"),
  /** Ours, with the rows of CPU operators in GPU memory. */
  SYMSHUFFLE_DEVICE("symshuffle-device"),
  /** The RAPIDS Accelerator over Spark's own shuffle, its default. */
  RAPIDS("rapids"),
  /** The RAPIDS Accelerator with its multi-threaded shuffle manager. */
  RAPIDS_MULTITHREADED("rapids-multithreaded"),
  /** The RAPIDS Accelerator and ours. */
  RAPIDS_SYMSHUFFLE("rapids-symshuffle");

  private static final String RAPIDS_PLUGIN = "com.nvidia.spark.SQLPlugin";
  private static final String OUR_PLUGIN = "io.symshuffle.SymShufflePlugin";

  private final String label;

  ManagerChoice(String label) {
    this.label = label;
  }

  /** The name on the command line and in reports. */
  public String label() {
    return label;
  }

  /** Spark settings. */
  public Map<String, String> settings() {
    return switch (this) {
      case SORT -> Map.of("spark.shuffle.manager", "sort");
      case SORT_NOCOMPRESS ->
          Map.of("spark.shuffle.manager", "sort", "spark.shuffle.compress", "false");
      case SYMSHUFFLE -> Map.of("spark.plugins", OUR_PLUGIN);
      case SYMSHUFFLE_DEVICE ->
          Map.of(
              "spark.plugins",
              OUR_PLUGIN,
              "spark.symshuffle.rows.tier",
              "device",
              "spark.symshuffle.device.required",
              "true");
      case RAPIDS -> Map.of("spark.plugins", RAPIDS_PLUGIN, "spark.shuffle.manager", "sort");
      case RAPIDS_MULTITHREADED ->
          Map.of(
              "spark.plugins",
              RAPIDS_PLUGIN,
              "spark.shuffle.manager",
              "com.nvidia.spark.rapids.spark420.RapidsShuffleManager");
      case RAPIDS_SYMSHUFFLE ->
          Map.of(
              "spark.plugins",
              OUR_PLUGIN + "," + RAPIDS_PLUGIN,
              "spark.symshuffle.rapids.mode",
              "auto");
    };
  }

  /** Whether its shuffles go through our jar. */
  public boolean needsPlugin() {
    return this == SYMSHUFFLE || this == SYMSHUFFLE_DEVICE || this == RAPIDS_SYMSHUFFLE;
  }

  /** Whether its queries run on GPUs. */
  public boolean needsRapids() {
    return this == RAPIDS || this == RAPIDS_MULTITHREADED || this == RAPIDS_SYMSHUFFLE;
  }

  /** What is compared under RAPIDS unless told otherwise, the one to beat first. */
  public static List<ManagerChoice> underRapids() {
    return List.of(RAPIDS, RAPIDS_MULTITHREADED, RAPIDS_SYMSHUFFLE);
  }

  /** What is compared on executors with GPUs, without RAPIDS, unless told otherwise. */
  public static List<ManagerChoice> besideGpus() {
    return List.of(SORT, SYMSHUFFLE, SYMSHUFFLE_DEVICE);
  }

  /**
   * The choices of these names, in their order.
   *
   * @throws CliException if a name is unknown or comes twice
   */
  public static List<ManagerChoice> named(List<String> labels) {
    List<ManagerChoice> choices = labels.stream().map(ManagerChoice::named).toList();
    if (choices.stream().distinct().count() != choices.size()) {
      throw CliException.wrongUsage(
          "A manager is named twice in " + String.join(",", labels) + ".");
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
                    "There is no manager '"
                        + label
                        + "': choose among "
                        + String.join(
                            ", ", Arrays.stream(values()).map(ManagerChoice::label).toList())
                        + "."));
  }
}
