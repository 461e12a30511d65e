// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import java.lang.reflect.Field;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.DataType;
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
 *
 * <p>Spark's defaults do not apply to all shuffles: some have checksums only if the user sets one
 * of the settings to true, see {@link TableEngine#reasonNotToHashByDefault}.
 */
public final class TableRowChecksums {
  private static final Logger LOG = LoggerFactory.getLogger(TableRowChecksums.class);

  private static final String PREFIX = "spark.sql.shuffle.orderIndependentChecksum.";
  private static final String ENABLED = PREFIX + "enabled";
  private static final String RETRY = PREFIX + "enableFullRetryOnMismatch";
  private static final String ROLLBACK = PREFIX + "enableQueryLevelRollbackOnMismatch";

  private final ConcurrentHashMap<String, Boolean> reasonsLogged = new ConcurrentHashMap<>();

  /**
   * Decides for a shuffle, while Spark constructs its dependency.
   *
   * @param engine knows whether its rows can be hashed
   * @return whether its map tasks must compute row checksums
   */
  public boolean enable(int shuffleId, TableEngine engine, ShuffleDependency<?, ?, ?> dependency) {
    boolean retry = isTrue(RETRY);
    if (!retry && !isTrue(ENABLED)) {
      return false;
    }
    DataType[] types = engine.types(dependency);
    Optional<String> reason = engine.reasonNotToHash(types);
    if (reason.isEmpty() && !isSetToTrue(ENABLED, RETRY)) {
      reason =
          engine
              .reasonNotToHashByDefault(types)
              .map(why -> "%s (set %s=true to have them)".formatted(why, RETRY));
    }
    if (reason.isEmpty() && retry) {
      reason = setRetry(dependency, isTrue(ROLLBACK));
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

  /** Returns whether the user has set one of these to true, in the session or for all of them. */
  private static boolean isSetToTrue(String... keys) {
    SQLConf conf = SQLConf.get();
    return Stream.of(keys).anyMatch(key -> conf.contains(key) && isTrue(key));
  }

  /** Returns the value of a setting, which earlier versions of Spark do not have. */
  private static boolean isTrue(String key) {
    try {
      return Boolean.parseBoolean(SQLConf.get().getConfString(key));
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
