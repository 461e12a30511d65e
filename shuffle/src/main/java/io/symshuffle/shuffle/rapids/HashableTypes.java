// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import java.util.Arrays;
import java.util.Optional;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.NumericType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;

/**
 * The types of columns that RAPIDS' {@code xxhash64} accepts. Maps are not among them: equal maps
 * may have their entries in different orders.
 */
final class HashableTypes {
  /** {@code MAX_STACK_DEPTH} of spark-rapids-jni. */
  private static final int MAX_DEPTH = 8;

  private HashableTypes() {}

  /** Returns why rows with these columns cannot be hashed; empty if they can. */
  static Optional<String> reasonAgainst(DataType[] types) {
    return Arrays.stream(types)
        .map(HashableTypes::reasonAgainst)
        .flatMap(Optional::stream)
        .findFirst();
  }

  /**
   * Returns why rows with these columns should be hashed only if the user wants it. The kernel
   * cannot hash lists and structs. A GPU adds floats in any order, so sums differ in their last
   * bits between attempts, and Spark would fail jobs because of that.
   */
  static Optional<String> reasonAgainstByDefault(DataType[] types) {
    if (Arrays.stream(types)
        .anyMatch(type -> type instanceof ArrayType || type instanceof StructType)) {
      return Optional.of("lists and structs take long to hash");
    }
    return Arrays.stream(types)
            .anyMatch(type -> type instanceof FloatType || type instanceof DoubleType)
        ? Optional.of("sums of floats on a GPU can differ in their last bits between attempts")
        : Optional.empty();
  }

  private static Optional<String> reasonAgainst(DataType type) {
    if (!isHashable(type)) {
      return Optional.of("RAPIDS cannot hash columns of type " + type.simpleString());
    }
    return depth(type) > MAX_DEPTH
        ? Optional.of("RAPIDS cannot hash columns nested more than " + MAX_DEPTH + " deep")
        : Optional.empty();
  }

  private static boolean isHashable(DataType type) {
    return switch (type) {
      case ArrayType array -> isHashable(array.elementType());
      case StructType struct ->
          Arrays.stream(struct.fields()).map(StructField::dataType).allMatch(t -> isHashable(t));
      default ->
          type instanceof NumericType
              || type instanceof StringType
              || type instanceof BooleanType
              || type instanceof DateType
              || type instanceof TimestampType
              || type instanceof TimestampNTZType;
    };
  }

  /** As spark-rapids-jni counts: only structs add a level. */
  private static int depth(DataType type) {
    return switch (type) {
      case ArrayType array ->
          array.elementType() instanceof StructType
              ? 1 + depth(array.elementType())
              : depth(array.elementType());
      case StructType struct ->
          1
              + Arrays.stream(struct.fields())
                  .mapToInt(field -> depth(field.dataType()))
                  .max()
                  .orElse(0);
      default -> 1;
    };
  }
}
