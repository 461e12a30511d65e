// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle;

import io.symshuffle.shuffle.write.RowSerializerFields;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import org.apache.spark.sql.internal.SQLConf;

/**
 * Decides which shuffles SymShuffle handles. All others use Spark's sort shuffle, each with a
 * reason.
 */
final class Eligibility {
  /** If false, queries of this session use Spark's sort shuffle; may be set at any time. */
  static final String ENABLED_KEY = "spark.symshuffle.enabled";

  /** Returns why Spark's sort shuffle must handle a shuffle; empty if SymShuffle does. */
  Optional<String> reasonToDelegate(ShuffleDependency<?, ?, ?> dependency) {
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
      return RowSerializerFields.problem();
    }
    if (!dependency.serializer().supportsRelocationOfSerializedObjects()) {
      return Optional.of(
          "the serializer %s does not support relocation of serialized objects"
              .formatted(dependency.serializer().getClass().getSimpleName()));
    }
    return Optional.empty();
  }

  /** The number of columns, if the records are Spark SQL rows. */
  static OptionalInt rowFields(ShuffleDependency<?, ?, ?> dependency) {
    return RowSerializerFields.rowFields(dependency.serializer());
  }
}
