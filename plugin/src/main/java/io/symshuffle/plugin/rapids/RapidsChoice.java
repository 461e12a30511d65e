// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.rapids;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.rapids.RapidsMismatchException;
import io.symshuffle.shuffle.rapids.RapidsStart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when the driver starts whether the tables of the RAPIDS Accelerator stay on the GPUs, and
 * changes the settings for it. If they cannot, RAPIDS copies them to the host as usual and our
 * shuffle of records moves them; one warning says why.
 */
public final class RapidsChoice {
  /** RAPIDS' plugin for Spark. */
  public static final String PLUGIN = "com.nvidia.spark.SQLPlugin";

  private static final Logger LOG = LoggerFactory.getLogger(RapidsChoice.class);
  private static final String HOST = "host";
  private static final String PLUGINS = "spark.plugins";
  private static final String SHUFFLE_MODE = "spark.rapids.shuffle.mode";
  private static final String CODEC = "spark.rapids.shuffle.compression.codec";
  private static final String POOL = "spark.rapids.memory.gpu.pool";

  /** RAPIDS computes no checksums of rows for partitions that stay on the GPU. */
  private static final List<String> ROW_CHECKSUMS =
      List.of(
          "spark.sql.shuffle.orderIndependentChecksum.enabled",
          "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch");

  /** Settings under which RAPIDS moves its partitions off the GPU, or we cannot serve. */
  private static final List<String> MUST_BE_FALSE =
      List.of(
          "spark.authenticate",
          "spark.io.encryption.enabled",
          "spark.shuffle.service.enabled",
          "spark.shuffle.push.enabled");

  private final SparkConf conf;
  private final String ours;
  private final ClassLoader loader;

  /**
   * Prepares to decide.
   *
   * @param conf the application's settings; changes apply to the driver and the executors
   * @param plugin the class name of our plugin
   * @param loader finds RAPIDS' jar
   */
  public RapidsChoice(SparkConf conf, String plugin, ClassLoader loader) {
    this.conf = requireNonNull(conf, "conf is null");
    this.ours = requireNonNull(plugin, "plugin is null");
    this.loader = requireNonNull(loader, "loader is null");
  }

  /**
   * Decides, and sets {@code spark.symshuffle.rapids.mode} to {@code device} or {@code host}.
   *
   * @param mode what the user wants: {@code auto}, {@code device} or {@code host}
   */
  public void decide(String mode) {
    if (!plugins().contains(PLUGIN)) {
      conf.set(RapidsStart.MODE_KEY, HOST);
      return;
    }
    if (mode.equals(HOST)) {
      LOG.info(
          "RAPIDS copies its tables to the host for each shuffle, because {} is host",
          RapidsStart.MODE_KEY);
      conf.set(RapidsStart.MODE_KEY, HOST);
      return;
    }
    Optional<String> obstacle = obstacle(mode.equals(RapidsStart.DEVICE));
    if (obstacle.isPresent()) {
      giveUp(obstacle.get());
      return;
    }
    orderPlugins();
    conf.set(RapidsStart.MODE_KEY, RapidsStart.DEVICE);
    conf.set(SHUFFLE_MODE, "UCX");
    ROW_CHECKSUMS.forEach(key -> conf.set(key, "false"));
    LOG.info("Tables of RAPIDS {} stay on the GPUs", RapidsVersion.find(loader).orElse("?"));
    if (!conf.contains(POOL)) {
      LOG.info("Shuffles with many partitions would be faster with {}=ARENA", POOL);
    }
  }

  /**
   * Starts on the driver, after Spark and RAPIDS have started there.
   *
   * @param local whether this process also runs the tasks
   */
  public void start(boolean local) {
    if (!RapidsStart.isWanted(conf)) {
      return;
    }
    try {
      RapidsStart.onDriver();
      if (local) {
        RapidsStart.onExecutor();
      }
    } catch (RapidsMismatchException | RuntimeException | LinkageError e) {
      // No query has been planned yet.
      conf.remove(SHUFFLE_MODE);
      giveUp(e.getMessage());
    }
  }

  private void giveUp(String reason) {
    conf.set(RapidsStart.MODE_KEY, HOST);
    LOG.warn(
        "RAPIDS copies its tables to the host for each shuffle: {}. SymShuffle moves them from"
            + " there.",
        reason);
  }

  private Optional<String> obstacle(boolean insists) {
    Optional<String> version = RapidsVersion.find(loader);
    if (version.isEmpty()) {
      return Optional.of(
          PLUGIN + " is in spark.plugins, but its jar is not on the driver's class path");
    }
    if (!RapidsVersion.isKnown(version.get()) && !insists) {
      return Optional.of(
          "this is RAPIDS %s, but SymShuffle supports %s (to try it anyway, set %s=%s)"
              .formatted(
                  version.get(), RapidsVersion.KNOWN, RapidsStart.MODE_KEY, RapidsStart.DEVICE));
    }
    for (String key : MUST_BE_FALSE) {
      if (conf.getBoolean(key, false)) {
        return Optional.of(key + " is true");
      }
    }
    for (String key : ROW_CHECKSUMS) {
      if (conf.getBoolean(key, false)) {
        return Optional.of(key + " is true, but RAPIDS has no checksums of rows on the GPU");
      }
    }
    if (!conf.getBoolean("spark.rapids.shuffle.enabled", true)) {
      return Optional.of("spark.rapids.shuffle.enabled is false");
    }
    if (!conf.get(CODEC, "none").equals("none")) {
      return Optional.of(
          "%s is '%s', but SymShuffle moves tables uncompressed".formatted(CODEC, conf.get(CODEC)));
    }
    if (conf.contains(SHUFFLE_MODE) && conf.get(SHUFFLE_MODE).equals("MULTITHREADED")) {
      return Optional.of(SHUFFLE_MODE + " is 'MULTITHREADED': remove it");
    }
    try {
      RapidsStart.check();
      return Optional.empty();
    } catch (RapidsMismatchException e) {
      return Optional.of(
          "RAPIDS %s is not as expected: %s".formatted(version.get(), e.getMessage()));
    }
  }

  /** Ours first: the device heap must be allocated before RAPIDS takes the remaining memory. */
  private void orderPlugins() {
    List<String> plugins = new ArrayList<>(plugins());
    if (plugins.indexOf(ours) > plugins.indexOf(PLUGIN)) {
      plugins.remove(ours);
      plugins.addFirst(ours);
      conf.set(PLUGINS, String.join(",", plugins));
      LOG.info(
          "{} is now {}, so that SymShuffle allocates its GPU memory before RAPIDS",
          PLUGINS,
          plugins);
    }
  }

  private List<String> plugins() {
    return Stream.of(conf.get(PLUGINS, "").split(","))
        .map(String::trim)
        .filter(name -> !name.isEmpty())
        .toList();
  }
}
