// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.write;

import java.lang.reflect.Field;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import org.apache.spark.sql.execution.metric.SQLMetric;

/**
 * Access to two private fields of Spark's {@code UnsafeRowSerializer}: the number of columns, and
 * the metric "data size", which adaptive execution uses. If they are not accessible, row shuffles
 * use Spark's sort shuffle, and {@link #problem()} is the reason.
 */
public final class RowSerializerFields {
  private static final Field NUM_FIELDS;
  private static final Field DATA_SIZE;
  private static final String PROBLEM;

  static {
    Field numFields = null;
    Field dataSize = null;
    String problem = null;
    try {
      numFields = UnsafeRowSerializer.class.getDeclaredField("numFields");
      numFields.setAccessible(true);
      dataSize = UnsafeRowSerializer.class.getDeclaredField("dataSize");
      dataSize.setAccessible(true);
    } catch (ReflectiveOperationException | RuntimeException e) {
      problem =
          "the UnsafeRowSerializer of this Spark version differs from that of 4.0 to 4.2: " + e;
    }
    NUM_FIELDS = numFields;
    DATA_SIZE = dataSize;
    PROBLEM = problem;
  }

  private RowSerializerFields() {}

  /** Why the fields are not accessible, or empty if they are. */
  public static Optional<String> problem() {
    return Optional.ofNullable(PROBLEM);
  }

  /** The number of columns, if {@code serializer} is Spark SQL's row serializer. */
  public static OptionalInt rowFields(Serializer serializer) {
    if (PROBLEM != null || !(serializer instanceof UnsafeRowSerializer)) {
      return OptionalInt.empty();
    }
    try {
      return OptionalInt.of(NUM_FIELDS.getInt(serializer));
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(
          "numFields is not accessible although it was made accessible", e);
    }
  }

  /** Adds to the serializer's metric "data size", if it has one. */
  public static void addDataSize(Serializer serializer, long bytes) {
    try {
      SQLMetric metric = (SQLMetric) DATA_SIZE.get(serializer);
      if (metric != null) {
        metric.add(bytes);
      }
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(
          "dataSize is not accessible although it was made accessible", e);
    }
  }
}
