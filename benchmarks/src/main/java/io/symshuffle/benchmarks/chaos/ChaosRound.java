// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import io.symshuffle.benchmarks.faults.FaultSpec;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The settings and faults of one application.
 *
 * @param settings Spark settings, without the faults
 * @param rules rules of the faults, see {@link io.symshuffle.benchmarks.faults.FaultSpec}
 * @param killShare share of the jobs during which an executor is killed
 * @param limitShare share of the jobs during which the application's memory is limited
 */
record ChaosRound(
    String name, Map<String, String> settings, String rules, double killShare, double limitShare) {
  /** An application survives so many kills without spending its time on starts of executors. */
  private static final double KILL_SHARE = 0.04;

  /** Few of the other faults concern GPU memory. */
  private static final double KILL_SHARE_ON_GPUS = 0.3;

  private static final String EVERYWHERE =
      "allocate.full=0.03,write.bit=0.001,write.page=0.0005,write.fail=0.0005,write.delay=0.03"
          + ",index.bit=0.004,publish.fail=0.005,publish.delay=0.04,publish.kill=0.0007"
          + ",published.bit=0.004,published.kill=0.0007,lease.delay=0.04,lease.kill=0.0007"
          + ",disk.fail=0.001,disk.bit=0.001,disk.delay=0.02,start.delay=0.2,probe.fail=0.05";

  private static final String IN_PLACE =
      EVERYWHERE + ",read.fail=0.0003,read.delay=0.003,read.kill=0.0001";

  /** Tasks that read thousands of blocks, one for each partition, must be able to end. */
  private static final String IN_PLACE_MANY_BLOCKS =
      EVERYWHERE + ",read.fail=0.000003,read.delay=0.00003,read.kill=0.000001";

  private static final String BY_TRANSFER =
      EVERYWHERE
          + ",read.fail=0.0003,read.delay=0.003"
          + ",serve.fail=0.003,serve.delay=0.02,serve.bit=0.003,serve.truncate=0.003"
          + ",serve.kill=0.0003";

  /** Returns the round with a number; the kinds alternate. */
  static ChaosRound number(long number) {
    return switch ((int) Math.floorMod(number, 6L)) {
      case 0 ->
          new ChaosRound(
              "heap",
              settings(
                  "spark.symshuffle.heap.size", "64m",
                  "spark.symshuffle.staging.size", "64k",
                  "spark.sql.shuffle.partitions", "8"),
              IN_PLACE,
              KILL_SHARE,
              0);
      case 1 ->
          new ChaosRound(
              "disk, freed after each query",
              settings(
                  "spark.symshuffle.heap.size", "1m",
                  "spark.symshuffle.heap.retained", "0",
                  "spark.symshuffle.staging.size", "64k",
                  "spark.sql.classic.shuffleDependency.fileCleanup.enabled", "true",
                  "spark.sql.shuffle.partitions", "12"),
              IN_PLACE,
              KILL_SHARE,
              0);
      case 2 ->
          new ChaosRound(
              "block transfer",
              settings(
                  "spark.symshuffle.heap.size", "2m",
                  "spark.symshuffle.staging.size", "256k",
                  "spark.symshuffle.read.peerMapping", "false",
                  "spark.sql.adaptive.enabled", "false",
                  "spark.sql.shuffle.partitions", "5"),
              BY_TRANSFER,
              KILL_SHARE,
              0);
      // Staging buffers for so many partitions have 4 MiB, and each task needs two.
      case 3 -> littleDirectMemory("", "-XX:MaxDirectMemorySize=6m", "10000");
      case 4 ->
          littleDirectMemory(
              ", no explicit garbage collection",
              "-XX:MaxDirectMemorySize=16m -XX:+DisableExplicitGC",
              "2000");
      default ->
          new ChaosRound(
              "little memory",
              settings(
                  "spark.symshuffle.heap.size", "128m",
                  "spark.symshuffle.heap.retained", "0",
                  "spark.symshuffle.staging.size", "64k",
                  "spark.sql.classic.shuffleDependency.fileCleanup.enabled", "true",
                  "spark.sql.shuffle.partitions", "8"),
              IN_PLACE,
              KILL_SHARE,
              0.5);
    };
  }

  private static ChaosRound littleDirectMemory(String more, String options, String partitions) {
    return new ChaosRound(
        "little direct memory" + more,
        settings(
            "spark.executor.extraJavaOptions", options,
            "spark.network.maxRemoteBlockSizeFetchToMem", "4m",
            "spark.symshuffle.heap.size", "64m",
            "spark.symshuffle.staging.size", "64k",
            "spark.sql.shuffle.partitions", partitions),
        IN_PLACE_MANY_BLOCKS,
        KILL_SHARE,
        0);
  }

  /** Returns the round on several hosts with a number: heaps that are large enough, or not. */
  static ChaosRound onHosts(long number) {
    ChaosRound here = number(Math.floorMod(number, 2L));
    return new ChaosRound(here.name, here.settings, BY_TRANSFER, KILL_SHARE, 0);
  }

  /**
   * Returns the round on several pods of one node with a number. Half of the runs do not fit into
   * heaps and are on a disk that readers in other pods do not see.
   */
  static ChaosRound onPods(long number) {
    ChaosRound onHosts = onHosts(number);
    return new ChaosRound(
        onHosts.name,
        onHosts.settings,
        onHosts.rules.replaceFirst("allocate.full=[^,]*", "allocate.full=0.5"),
        KILL_SHARE,
        0);
  }

  /** Returns the round on GPUs with a number; the kinds alternate. */
  static ChaosRound onGpus(long number) {
    boolean large = Math.floorMod(number, 2L) == 0;
    return new ChaosRound(
        large ? "device heap" : "device heap that is far too small",
        settings(
            "spark.symshuffle.device.heap.size", large ? "6g" : "64m",
            "spark.symshuffle.device.chunk.size", large ? "256m" : "16m",
            "spark.sql.shuffle.partitions", large ? "12" : "5"),
        IN_PLACE,
        KILL_SHARE_ON_GPUS,
        0);
  }

  /**
   * Returns the settings of an application with its faults.
   *
   * @param seed of the faults
   * @param log to which each fault of an executor appends a line
   * @param history a folder in which executors record what they do
   * @param calls of the C library that fail, if any may
   */
  Map<String, String> settings(long seed, Path log, Path history, Optional<FailingCalls> calls) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    // On any machine both ways and heaps of several files, whatever is faster there.
    all.put("spark.symshuffle.heap.access", Math.floorMod(seed, 2L) == 0 ? "mapped" : "copied");
    all.put("spark.symshuffle.heap.files", "" + (1 + Math.floorMod(seed, 3L)));
    all.put(FaultSpec.KEY, "seed=%d,log=%s,history=%s,%s".formatted(seed, log, history, rules));
    calls.ifPresent(failing -> all.putAll(failing.settings(log)));
    return all;
  }

  /** Settings with which jobs survive failures of tasks and executors. */
  private static Map<String, String> settings(String... own) {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("spark.task.maxFailures", "100");
    settings.put("spark.stage.maxConsecutiveAttempts", "100");
    settings.put("spark.deploy.maxExecutorRetries", "-1");
    settings.put("spark.shuffle.io.maxRetries", "2");
    settings.put("spark.shuffle.io.retryWait", "100ms");
    settings.put("spark.locality.wait", "0s");
    settings.put("spark.sql.autoBroadcastJoinThreshold", "-1");
    // Spark drops most events for listeners of users.
    settings.put("spark.scheduler.listenerbus.eventqueue.shared.capacity", "1");
    for (int i = 0; i < own.length; i += 2) {
      settings.put(own[i], own[i + 1]);
    }
    return settings;
  }
}
