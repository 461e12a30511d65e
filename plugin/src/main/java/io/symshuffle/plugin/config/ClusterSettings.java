// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.config;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;

/**
 * Spark's settings that say how many executors an application will have. Spark itself does not know
 * before they have started.
 */
public record ClusterSettings(SparkConf conf) {
  /** What a container needs for pages of other executors' heaps and for the kernel, in bytes. */
  public static final long OTHER_PAGES_BYTES = 512L << 20;

  /**
   * What an executor on YARN keeps in its resident set of other executors' heaps, in bytes. It
   * looks at its resident set once for 64 MiB that it reads, so it can have more for a moment.
   */
  private static final long YARN_PEER_BYTES = 384L << 20;

  private static final Pattern LOCAL = Pattern.compile("local(\\[.*])?");
  private static final Pattern LOCAL_CLUSTER =
      Pattern.compile("local-cluster\\[\\s*([0-9]+)\\s*,\\s*([0-9]+)\\s*,\\s*[0-9]+\\s*]");

  /** The workers of {@code local-cluster[workers,cores,memory]}. */
  public record LocalCluster(int workers, int cores) {}

  /** Returns the master's URL. */
  public String master() {
    return conf.get("spark.master", "local").trim();
  }

  /**
   * Returns how much of other executors' heaps an executor may keep in its resident set. Only YARN
   * kills containers because of that.
   *
   * @return the limit in bytes; {@link Long#MAX_VALUE} if there is none
   */
  public long maxMappedPeerBytes() {
    return master().startsWith("yarn") ? YARN_PEER_BYTES : Long.MAX_VALUE;
  }

  /** Returns whether each executor has its own container, whose memory is limited. */
  public boolean hasOwnContainers() {
    return master().startsWith("k8s");
  }

  /** Returns whether driver and executor are one process. */
  public boolean isLocal() {
    return LOCAL.matcher(master()).matches();
  }

  /** Returns the workers of a local cluster; empty with any other master. */
  public Optional<LocalCluster> localCluster() {
    Matcher matcher = LOCAL_CLUSTER.matcher(master());
    return matcher.matches()
        ? Optional.of(
            new LocalCluster(
                Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))))
        : Optional.empty();
  }

  /** Returns whether the number of executors varies. */
  public boolean isDynamic() {
    return conf.get("spark.dynamicAllocation.enabled", "false").trim().equalsIgnoreCase("true");
  }

  /** Returns the cores of an executor. */
  public OptionalInt executorCores() {
    return number("spark.executor.cores");
  }

  /** Returns how many executors the maximum number of cores allows; empty if it is unknown. */
  public OptionalInt executorsByCores() {
    OptionalInt max = number("spark.cores.max");
    OptionalInt each = executorCores();
    return max.isPresent() && each.isPresent()
        ? OptionalInt.of(Math.max(1, max.getAsInt() / each.getAsInt()))
        : OptionalInt.empty();
  }

  /** Returns a positive number; empty if it is not set, or none, which Spark refuses. */
  public OptionalInt number(String key) {
    try {
      int number = Integer.parseInt(conf.get(key, "0").trim());
      return number > 0 ? OptionalInt.of(number) : OptionalInt.empty();
    } catch (NumberFormatException e) {
      return OptionalInt.empty();
    }
  }
}
