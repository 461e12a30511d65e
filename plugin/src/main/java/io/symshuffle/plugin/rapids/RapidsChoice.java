// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.rapids;

import io.symshuffle.plugin.config.RapidsMemory;
import io.symshuffle.plugin.membership.MembershipListener;
import io.symshuffle.shuffle.rapids.RapidsMismatchException;
import io.symshuffle.shuffle.rapids.RapidsStart;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.package$;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when the driver starts whether the tables of the RAPIDS Accelerator stay on the GPUs, and
 * changes the settings for it. If they cannot, or an executor reports later that its GPU cannot
 * keep them, RAPIDS copies them to the host as usual and our shuffle of records moves them; one
 * warning says why. Thread-safe.
 */
public final class RapidsChoice implements MembershipListener {
  /** RAPIDS' plugin for Spark. */
  public static final String PLUGIN = RapidsMemory.PLUGIN;

  private static final Logger LOG = LoggerFactory.getLogger(RapidsChoice.class);
  private static final String HOST = "host";
  private static final String PLUGINS = "spark.plugins";
  private static final String SHUFFLE_MODE = "spark.rapids.shuffle.mode";
  private static final String CODEC = "spark.rapids.shuffle.compression.codec";

  private static final String PARTITIONS = "spark.sql.shuffle.partitions";
  private static final String INITIAL_PARTITIONS =
      "spark.sql.adaptive.coalescePartitions.initialPartitionNum";

  private static final String CONNECTIONS = "spark.shuffle.io.numConnectionsPerPeer";

  /**
   * Connections between two executors. Spark sends over one, which one thread on each side serves;
   * a GPU's tables are more than a thread can copy to and from sockets.
   */
  private static final int CONNECTIONS_PER_PEER = 4;

  /** Spark's default for the number of partitions. */
  public static final int DEFAULT_PARTITIONS = 200;

  /** On one H200, TPC-DS at scale 10 and TPC-H at scale 30 were faster with 64 than with 200. */
  private static final int PARTITIONS_OF_ONE_GPU = 64;

  /** On four H100, TPC-H at scale 100 was faster with 128 than with 64. */
  private static final int PARTITIONS_OF_FEW_GPUS = 128;

  private static final int FEW_GPUS = 4;

  /** Spark's checksums of rows. */
  private static final List<String> ROW_CHECKSUMS =
      List.of(
          "spark.sql.shuffle.orderIndependentChecksum.enabled",
          "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch");

  /** Settings under which RAPIDS moves its partitions off the GPU. */
  public static final List<String> MUST_BE_FALSE = List.of("spark.authenticate");

  /** Where Spark keeps what RAPIDS' driver plugin passes to its executor plugins. */
  private static final String PASSED = "spark.plugins.internal.conf." + PLUGIN + ".";

  private final SparkConf conf;
  private final String ours;
  private final ClassLoader loader;
  private final Rapids rapids;

  /** The previous values of the settings that were changed for tables on the GPUs. */
  private final Map<String, Optional<String>> previous = new LinkedHashMap<>();

  /** RAPIDS in this process. */
  interface Rapids {
    /** Checks its members; returns why there are no row checksums, empty if there are. */
    Optional<String> check() throws RapidsMismatchException;

    /** Makes it plan exchanges whose partitions stay on the GPU. */
    void onDriver() throws RapidsMismatchException;

    /** Makes this process shuffle tables on the GPU. */
    void onExecutor();

    /** Makes it plan exchanges through the host again. */
    void returnToHost() throws RapidsMismatchException;
  }

  private record RealRapids(ClassLoader loader) implements Rapids {
    @Override
    public Optional<String> check() throws RapidsMismatchException {
      return RapidsStart.check();
    }

    @Override
    public void onDriver() throws RapidsMismatchException {
      RapidsStart.onDriver();
    }

    @Override
    public void onExecutor() {
      RapidsStart.onExecutor();
    }

    @Override
    public void returnToHost() throws RapidsMismatchException {
      Thread thread = Thread.currentThread();
      ClassLoader before = thread.getContextClassLoader();
      thread.setContextClassLoader(loader);
      try {
        RapidsStart.returnToHost();
      } finally {
        thread.setContextClassLoader(before);
      }
    }
  }

  /**
   * @param conf the application's settings; changes apply to the driver and the executors
   */
  public RapidsChoice(SparkConf conf, String plugin, ClassLoader loader) {
    this(conf, plugin, loader, new RealRapids(loader));
  }

  RapidsChoice(SparkConf conf, String plugin, ClassLoader loader, Rapids rapids) {
    this.conf = conf;
    this.ours = plugin;
    this.loader = loader;
    this.rapids = rapids;
  }

  /**
   * Decides, and sets {@code spark.symshuffle.rapids.mode} to {@code device} or {@code host}.
   *
   * @param mode what the user wants: {@code auto}, {@code device} or {@code host}
   * @param executors how many executors there will be, each with a GPU; empty if not known
   */
  public synchronized void decide(String mode, OptionalInt executors) {
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
    separatePinnedPools();
    orderPlugins();
    conf.set(RapidsStart.MODE_KEY, RapidsStart.DEVICE);
    change(SHUFFLE_MODE, "UCX");
    LOG.info("Tables of RAPIDS {} stay on the GPUs", RapidsVersion.find(loader).orElse("?"));
    choosePartitions(executors);
    if (!conf.contains(CONNECTIONS)) {
      change(CONNECTIONS, Integer.toString(CONNECTIONS_PER_PEER));
      LOG.info(
          "{} is now {}, since one connection cannot send tables as fast as a GPU reads them",
          CONNECTIONS,
          CONNECTIONS_PER_PEER);
    }
  }

  /**
   * Starts on the driver, after Spark and RAPIDS have started there.
   *
   * @param local whether this process also runs the tasks
   */
  public synchronized void start(boolean local) {
    if (!RapidsStart.isWanted(conf)) {
      return;
    }
    try {
      rapids.onDriver();
      if (local) {
        rapids.onExecutor();
      }
    } catch (RapidsMismatchException | RuntimeException | LinkageError e) {
      // No query has been planned yet.
      giveUp(e.getMessage());
    }
  }

  /** Plans all further exchanges through the host; those that are already planned may fail. */
  @Override
  public synchronized void tablesUnavailable(String executorId, String reason) {
    if (!RapidsStart.isWanted(conf)) {
      return;
    }
    giveUp("executor %s reports: %s".formatted(executorId, reason));
    try {
      rapids.returnToHost();
    } catch (RapidsMismatchException | RuntimeException | LinkageError e) {
      LOG.error(
          "Cannot make RAPIDS copy its tables to the host: restart with {}={}",
          RapidsStart.MODE_KEY,
          HOST,
          e);
    }
  }

  /**
   * Returns how many partitions a shuffle of tables should have on a few GPUs. Each table costs an
   * allocation of GPU memory, whatever its size, so fewer and larger ones are faster.
   *
   * @param executors how many executors there are, each with a GPU
   * @return the number; empty if Spark's default suits them
   */
  public static OptionalInt partitions(int executors) {
    if (executors > FEW_GPUS) {
      return OptionalInt.empty();
    }
    return OptionalInt.of(executors == 1 ? PARTITIONS_OF_ONE_GPU : PARTITIONS_OF_FEW_GPUS);
  }

  /** Chooses the number of partitions, unless the user did. */
  private void choosePartitions(OptionalInt executors) {
    if (conf.contains(PARTITIONS) || conf.contains(INITIAL_PARTITIONS) || executors.isEmpty()) {
      return;
    }
    partitions(executors.getAsInt())
        .ifPresent(
            number -> {
              change(PARTITIONS, Integer.toString(number));
              LOG.info(
                  "{} is now {} instead of {}, since few GPUs shuffle fewer and larger tables"
                      + " faster",
                  PARTITIONS,
                  number,
                  DEFAULT_PARTITIONS);
            });
  }

  private void change(String key, String value) {
    previous.put(key, Optional.ofNullable(conf.get(key, null)));
    conf.set(key, value);
  }

  private void giveUp(String reason) {
    previous.forEach(
        (key, value) -> value.ifPresentOrElse(was -> conf.set(key, was), () -> conf.remove(key)));
    previous.clear();
    conf.set(RapidsStart.MODE_KEY, HOST);
    LOG.warn(
        "RAPIDS copies its tables to the host for each shuffle: {}. SymShuffle moves them from"
            + " there.",
        reason);
  }

  /** Keeps cuDF from using the pinned memory of RAPIDS' Java code, unless the user decided. */
  private void separatePinnedPools() {
    String key = RapidsStart.SHARE_PINNED_POOL;
    if (conf.contains(key)) {
      if (conf.getBoolean(key, true)) {
        LOG.warn("{} is true: cuDF {} may then corrupt rows", key, RapidsVersion.KNOWN);
      }
      return;
    }
    conf.set(key, "false");
    if (plugins().indexOf(PLUGIN) < plugins().indexOf(ours)) {
      // RAPIDS' driver plugin has already started.
      conf.set(PASSED + key, "false");
    }
    LOG.info(
        "{} is now false, so that cuDF does not free pinned memory of RAPIDS that the GPU has not"
            + " read yet",
        key);
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
      Optional<String> problem = rapids.check();
      return problem.flatMap(
          why ->
              ROW_CHECKSUMS.stream()
                  .filter(key -> conf.getBoolean(key, false))
                  .findFirst()
                  .map(key -> key + " is true, but " + why));
    } catch (RapidsMismatchException e) {
      return Optional.of(
          "RAPIDS %s on Spark %s is not as expected: %s"
              .formatted(version.get(), package$.MODULE$.SPARK_VERSION(), e.getMessage()));
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
