// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle;

import java.lang.reflect.Field;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.sql.internal.SQLConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides on the driver whether the map tasks of a shuffle of packed tables compute row checksums
 * ({@code spark.sql.shuffle.orderIndependentChecksum.*}), and makes Spark act on them. Thread-safe.
 *
 * <p>RAPIDS creates its dependencies without row checksums, so Spark's scheduler would ignore
 * differences between attempts. Two private fields of Spark 4.2's {@code ShuffleDependency} tell
 * the scheduler otherwise. It then no longer recomputes all tasks of a stage whose rows it cannot
 * predict, but only if a checksum differs; so they may only be set if every map task computes one.
 */
final class TableRowChecksums {
  private static final Logger LOG = LoggerFactory.getLogger(TableRowChecksums.class);

  private static final String PREFIX = "spark.sql.shuffle.orderIndependentChecksum.";

  private final ConcurrentHashMap<String, Boolean> reasonsLogged = new ConcurrentHashMap<>();

  /**
   * Decides for a shuffle, while Spark constructs its dependency.
   *
   * @param shuffleId Spark's id of the shuffle
   * @param reasonNotToHash why its rows cannot be hashed; empty if they can
   * @return whether its map tasks must compute row checksums
   */
  boolean enable(
      int shuffleId, Optional<String> reasonNotToHash, ShuffleDependency<?, ?, ?> dependency) {
    boolean retry = isSet("enableFullRetryOnMismatch");
    if (!retry && !isSet("enabled")) {
      return false;
    }
    Optional<String> reason = reasonNotToHash;
    if (reason.isEmpty() && retry) {
      reason = setRetry(dependency, isSet("enableQueryLevelRollbackOnMismatch"));
    }
    if (reason.isPresent() && reasonsLogged.putIfAbsent(reason.get(), true) == null) {
      LOG.info(
          "Shuffle {} of tables on the GPUs has no row checksums, so Spark does not compare its"
              + " attempts: {} (logged once for this reason)",
          shuffleId,
          reason.get());
    }
    return reason.isEmpty();
  }

  /** Returns the value of a setting, which earlier versions of Spark do not have. */
  private static boolean isSet(String name) {
    try {
      return Boolean.parseBoolean(SQLConf.get().getConfString(PREFIX + name));
    } catch (NoSuchElementException e) {
      return false;
    }
  }

  /** Returns why the fields cannot be set; empty if they are. */
  private static Optional<String> setRetry(
      ShuffleDependency<?, ?, ?> dependency, boolean rollback) {
    try {
      Field retry = field("_checksumMismatchFullRetryEnabled");
      Field queryLevel = field("checksumMismatchQueryLevelRollbackEnabled");
      retry.setBoolean(dependency, true);
      queryLevel.setBoolean(dependency, rollback);
      return Optional.empty();
    } catch (ReflectiveOperationException | RuntimeException e) {
      return Optional.of("Spark's ShuffleDependency is not as expected: " + e);
    }
  }

  private static Field field(String name) throws NoSuchFieldException {
    Field field = ShuffleDependency.class.getDeclaredField(name);
    field.setAccessible(true);
    return field;
  }
}
