// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.rapids;

import static java.util.Objects.requireNonNull;

import io.symshuffle.SymShufflePlugin;
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
 * Decides at the driver's start whether the tables of the RAPIDS Accelerator stay on the GPUs, and
 * sets what that takes. Where they cannot, RAPIDS copies them to the host as ever and our shuffle
 * of records moves them; one warning says why.
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

  /** Settings under which RAPIDS itself takes its partitions off the GPU, or we cannot serve. */
  private static final List<String> MUST_BE_FALSE =
      List.of(
          "spark.authenticate",
          "spark.io.encryption.enabled",
          "spark.shuffle.service.enabled",
          "spark.shuffle.push.enabled");

  private final SparkConf conf;
  private final ClassLoader loader;

  /**
   * Looks at an application.
   *
   * @param conf its settings, the driver's own: what is set here holds for driver and executors
   * @param loader where RAPIDS' jar would be found
   */
  public RapidsChoice(SparkConf conf, ClassLoader loader) {
    this.conf = requireNonNull(conf, "conf is null");
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
          "RAPIDS copies its tables to the host for a shuffle, since {} is host",
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
      LOG.info("{}=ARENA would make shuffles into many partitions faster", POOL);
    }
  }

  /**
   * Starts on the driver, once Spark and RAPIDS have started there.
   *
   * @param local whether this process runs the tasks, too
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
          "this is RAPIDS %s and SymShuffle knows %s (to try, set %s=%s)"
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
        return Optional.of(key + " is true, and RAPIDS has no checksums of rows on the GPU");
      }
    }
    if (!conf.getBoolean("spark.rapids.shuffle.enabled", true)) {
      return Optional.of("spark.rapids.shuffle.enabled is false");
    }
    if (!conf.get(CODEC, "none").equals("none")) {
      return Optional.of(
          "%s is '%s', and SymShuffle moves tables uncompressed".formatted(CODEC, conf.get(CODEC)));
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

  /** Ours first on the executors: the device heap is taken before RAPIDS takes the rest. */
  private void orderPlugins() {
    List<String> plugins = new ArrayList<>(plugins());
    String ours = SymShufflePlugin.class.getName();
    if (plugins.indexOf(ours) > plugins.indexOf(PLUGIN)) {
      plugins.remove(ours);
      plugins.addFirst(ours);
      conf.set(PLUGINS, String.join(",", plugins));
      LOG.info(
          "{} is now {}: SymShuffle takes its GPU memory before RAPIDS does", PLUGINS, plugins);
    }
  }

  private List<String> plugins() {
    return Stream.of(conf.get(PLUGINS, "").split(","))
        .map(String::trim)
        .filter(name -> !name.isEmpty())
        .toList();
  }
}
