// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The URL of a Spark master.
 *
 * @param url as for spark-submit
 */
public record SparkMaster(String url) {
  private static final Pattern LOCAL_CLUSTER =
      Pattern.compile(
          "local-cluster\\[\\s*([1-9]\\d{0,8})\\s*,\\s*([1-9]\\d{0,8})\\s*,\\s*([1-9]\\d{0,8})\\s*]");
  private static final Pattern KNOWN =
      Pattern.compile("local(\\[.*])?|spark://.+|yarn|k8s://.+|" + LOCAL_CLUSTER.pattern());

  /** Spark refuses executors with less: 1.5 times what it reserves. */
  private static final int LEAST_MIB = 450;

  /**
   * @throws CliException if it is invalid
   */
  public SparkMaster {
    if (!KNOWN.matcher(url).matches()) {
      throw CliException.wrongUsage(
          "'"
              + url
              + "' is not a master URL. Use local[2], local-cluster[2,1,2048] (executors, cores and"
              + " MiB of memory each), spark://host:port, yarn or k8s://...");
    }
    Matcher matcher = LOCAL_CLUSTER.matcher(url);
    if (matcher.matches() && Integer.parseInt(matcher.group(3)) < LEAST_MIB) {
      throw CliException.wrongUsage(
          "'%s' gives each executor %s MiB, but Spark needs at least %d."
              .formatted(url, matcher.group(3), LEAST_MIB));
    }
  }

  /** Returns whether all processes run on this machine and are started by us. */
  public boolean isLocal() {
    return url.startsWith("local");
  }

  /** Returns whether workers of a standalone cluster start the executors. */
  boolean isStandalone() {
    return url.startsWith("spark://");
  }

  /** Executors of a local cluster get all memory of their worker. */
  String executorMemory() {
    Matcher matcher = LOCAL_CLUSTER.matcher(url);
    return matcher.matches() ? matcher.group(3) + "m" : "";
  }
}
