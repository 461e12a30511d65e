// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.serializer.RowSerializerAccess;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import org.apache.spark.sql.internal.SQLConf;

/**
 * The rule for what Spark's own sort shuffle does instead of us. Everything that is not plainly
 * ours goes there, with a reason.
 */
final class Eligibility {
  /** Switches single queries over to Spark's sort shuffle; may be set at any time in a session. */
  static final String ENABLED_KEY = "spark.symshuffle.enabled";

  private final Optional<String> settings;

  /** What the application's settings allow. */
  Eligibility(SparkConf conf) {
    this.settings = reasonInSettings(requireNonNull(conf, "conf is null"));
  }

  /**
   * Decides.
   *
   * @return why a shuffle is not ours, or empty if it is
   */
  Optional<String> reasonToDelegate(ShuffleDependency<?, ?, ?> dependency) {
    if (settings.isPresent()) {
      return settings;
    }
    if (!Boolean.parseBoolean(SQLConf.get().getConfString(ENABLED_KEY, "true"))) {
      return Optional.of(ENABLED_KEY + " is false in this session");
    }
    if (dependency.aggregator().isDefined() || dependency.mapSideCombine()) {
      return Optional.of("RDD shuffle with aggregation");
    }
    if (dependency.keyOrdering().isDefined()) {
      return Optional.of("RDD shuffle with ordering");
    }
    if (dependency.serializer() instanceof UnsafeRowSerializer) {
      return RowSerializerAccess.problem();
    }
    if (!dependency.serializer().supportsRelocationOfSerializedObjects()) {
      return Optional.of(
          "the bytes of %s cannot be moved"
              .formatted(dependency.serializer().getClass().getSimpleName()));
    }
    return Optional.empty();
  }

  /** The rows' number of columns, if the records are Spark SQL's rows. */
  static OptionalInt rowFields(ShuffleDependency<?, ?, ?> dependency) {
    return RowSerializerAccess.rowFields(dependency.serializer());
  }

  private static Optional<String> reasonInSettings(SparkConf conf) {
    if (conf.getBoolean("spark.io.encryption.enabled", false)) {
      return Optional.of("spark.io.encryption.enabled is true, and our runs are not encrypted");
    }
    if (conf.getBoolean("spark.shuffle.push.enabled", false)) {
      return Optional.of("spark.shuffle.push.enabled is true");
    }
    if (conf.getBoolean("spark.shuffle.useOldFetchProtocol", false)) {
      return Optional.of(
          "spark.shuffle.useOldFetchProtocol is true, so map outputs have no unique name");
    }
    return Optional.empty();
  }
}
