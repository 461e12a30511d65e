// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what our shuffle cannot work with, before the driver sets the shuffle manager. Clusters
 * have such settings as defaults, so they do not stop an application unless it asks for that with
 * {@link Settings#REQUIRED}: they are changed for the application, or SymShuffle is disabled.
 */
public final class SparkSettingsCheck {
  /** Spark's setting of the shuffle manager. */
  public static final String MANAGER_KEY = "spark.shuffle.manager";

  /** Spark's setting of the external shuffle service. */
  public static final String SERVICE_KEY = "spark.shuffle.service.enabled";

  /** Spark's setting of push-based shuffle. */
  public static final String PUSH_KEY = "spark.shuffle.push.enabled";

  /** Spark's setting of the protocol of external shuffle services older than Spark 3. */
  public static final String OLD_PROTOCOL_KEY = "spark.shuffle.useOldFetchProtocol";

  /** Spark's setting that deletes the shuffles of a query of an application at its end. */
  public static final String CLEANUP_KEY =
      "spark.sql.classic.shuffleDependency.fileCleanup.enabled";

  /**
   * Spark's setting that makes adaptive execution see hot partitions among more than 2,000. Spark
   * keeps the average of all blocks of a map output then, and the sizes of those that are this many
   * times as large as the median. It keeps no such sizes by default.
   */
  public static final String SKEW_KEY = "spark.shuffle.accurateBlockSkewedFactor";

  /** The same as Spark's default factor for partitions that adaptive execution splits. */
  private static final String SKEW_FACTOR = "5";

  private static final String TRACKING_KEY = "spark.dynamicAllocation.shuffleTracking.enabled";
  private static final String DISABLED = "SymShuffle is disabled for this application.";
  private static final String FALSE = "false";
  private static final List<String> SORT =
      List.of("sort", "tungsten-sort", "org.apache.spark.shuffle.sort.SortShuffleManager");

  private static final Logger LOG = LoggerFactory.getLogger(SparkSettingsCheck.class);

  private final String plugin;
  private final String manager;

  /**
   * Something that our shuffle cannot work with.
   *
   * @param problem what it is and what the user can do, a sentence
   * @param effect what happens otherwise, sentences
   * @param changes settings that solve the problem; empty if SymShuffle must be disabled
   */
  private record Conflict(String problem, String effect, Map<String, String> changes) {}

  /**
   * @param plugin the class name of our plugin, for messages
   * @param manager the class name of our shuffle manager
   */
  public SparkSettingsCheck(String plugin, String manager) {
    this.plugin = plugin;
    this.manager = manager;
  }

  /**
   * Makes an application's settings fit, with one warning for each problem. If that is impossible,
   * SymShuffle is disabled, also on the executors.
   *
   * @param conf the application's settings, which are changed
   * @param version the version of Spark that runs
   * @param required whether to refuse instead of changing anything
   * @return whether SymShuffle can serve the application
   * @throws SymShuffleConfigException if {@code required} is true and there is a problem
   */
  public boolean resolve(SparkConf conf, String version, boolean required) {
    List<Conflict> conflicts = conflicts(conf, version);
    if (required && !conflicts.isEmpty()) {
      throw new SymShuffleConfigException(conflicts.stream().map(Conflict::problem).toList());
    }
    List<Conflict> unsolved = conflicts.stream().filter(each -> each.changes.isEmpty()).toList();
    (unsolved.isEmpty() ? conflicts : unsolved)
        .forEach(conflict -> LOG.warn("{} {}", conflict.problem, conflict.effect));
    if (!unsolved.isEmpty()) {
      conf.set(Settings.ENABLED.key(), FALSE);
      return false;
    }
    conflicts.forEach(conflict -> conflict.changes.forEach(conf::set));
    risk(conf).ifPresent(LOG::warn);
    return true;
  }

  /** Adds what our shuffle needs from Spark, unless the user has set it. */
  public static void addDefaults(SparkConf conf) {
    conf.setIfMissing(SKEW_KEY, SKEW_FACTOR);
  }

  /**
   * Returns a warning about a setting that harms also sort shuffle: Spark deletes map outputs that
   * its tracker still has, and computes them again when a Dataset is used again, until its tracker
   * fails.
   */
  static Optional<String> risk(SparkConf conf) {
    return conf.getBoolean(CLEANUP_KEY, false)
        ? Optional.of(
            "%s is 'true': jobs that use a Dataset more than once may fail, with sort shuffle as well. Remove it, and set spark.cleaner.periodicGC.interval to 5min."
                .formatted(CLEANUP_KEY))
        : Optional.empty();
  }

  /**
   * Returns whether a shuffle manager is Spark's sort shuffle, which ours contains.
   *
   * @param manager a value of {@link #MANAGER_KEY}
   */
  public static boolean isSort(String manager) {
    return SORT.contains(manager);
  }

  private List<Conflict> conflicts(SparkConf conf, String version) {
    List<Conflict> conflicts = new ArrayList<>();
    SparkVersion.mismatch(version)
        .ifPresent(problem -> conflicts.add(new Conflict(problem, DISABLED, Map.of())));
    String chosen = conf.get(MANAGER_KEY, manager);
    if (!chosen.equals(manager)) {
      boolean sort = isSort(chosen);
      conflicts.add(
          new Conflict(
              "%s is '%s', but SymShuffle sets the shuffle manager itself: remove %s, or remove %s from spark.plugins."
                  .formatted(MANAGER_KEY, chosen, MANAGER_KEY, plugin),
              sort
                  ? "SymShuffle serves the shuffles that it supports; the others use sort shuffle."
                  : DISABLED,
              sort ? Map.of(MANAGER_KEY, manager) : Map.of()));
    }
    if (conf.getBoolean(SERVICE_KEY, false)) {
      boolean keeps = keepsIdleExecutors(conf);
      conflicts.add(
          new Conflict(
              "%s is 'true', but the external shuffle service cannot serve map outputs in a symmetric heap: set it to false, or remove %s from spark.plugins."
                  .formatted(SERVICE_KEY, plugin),
              "Executors of this application do not use the service: if one is lost, its sort"
                  + " shuffle files are lost"
                  + (keeps
                      ? ", and dynamic allocation keeps executors whose map outputs are needed."
                      : "."),
              keeps
                  ? Map.of(SERVICE_KEY, FALSE, TRACKING_KEY, "true")
                  : Map.of(SERVICE_KEY, FALSE)));
    }
    if (conf.getBoolean(PUSH_KEY, false)) {
      conflicts.add(
          new Conflict(
              "%s is 'true', but only files can be pushed to an external shuffle service: set it to false, or remove %s from spark.plugins."
                  .formatted(PUSH_KEY, plugin),
              "No blocks of this application are pushed and merged, including those of sort"
                  + " shuffle.",
              Map.of(PUSH_KEY, FALSE)));
    }
    if (conf.getBoolean(OLD_PROTOCOL_KEY, false)) {
      conflicts.add(
          new Conflict(
              "%s is 'true', but under the old protocol map outputs have no unique names: set it to false, or remove %s from spark.plugins."
                  .formatted(OLD_PROTOCOL_KEY, plugin),
              "Executors of this application use the current protocol, since they do not use an"
                  + " external shuffle service.",
              Map.of(OLD_PROTOCOL_KEY, FALSE)));
    }
    return conflicts;
  }

  /** Without the service, executors whose map outputs are needed must stay or send them away. */
  private static boolean keepsIdleExecutors(SparkConf conf) {
    boolean sends =
        conf.getBoolean("spark.decommission.enabled", false)
            && conf.getBoolean("spark.storage.decommission.enabled", false)
            && conf.getBoolean("spark.storage.decommission.shuffleBlocks.enabled", true);
    return conf.getBoolean("spark.dynamicAllocation.enabled", false) && !sends;
  }
}
