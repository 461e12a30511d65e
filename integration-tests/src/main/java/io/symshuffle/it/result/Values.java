// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.result;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.unsafe.types.VariantVal;
import scala.jdk.javaapi.CollectionConverters;

/** Converts the values of a row to Java values with {@code equals} by content. */
final class Values {
  private static final int SHOWN_CHARACTERS = 200;

  private Values() {}

  static List<Object> of(Row row) {
    List<Object> values = new ArrayList<>(row.length());
    for (int i = 0; i < row.length(); i++) {
      values.add(of(row.get(i)));
    }
    return values;
  }

  /** Returns a row as text, with at most 200 characters per value. */
  static String show(List<Object> row) {
    List<String> shown = new ArrayList<>();
    for (Object value : row) {
      String text = String.valueOf(value);
      shown.add(
          text.length() <= SHOWN_CHARACTERS
              ? text
              : "%s… (%d characters)"
                  .formatted(text.substring(0, SHOWN_CHARACTERS), text.length()));
    }
    return shown.toString();
  }

  private static Object of(Object value) {
    return switch (value) {
      case null -> null;
      case byte[] bytes -> new Bytes(bytes);
      case VariantVal variant ->
          List.of("variant", new Bytes(variant.getValue()), new Bytes(variant.getMetadata()));
      case Row row -> of(row);
      case scala.collection.Map<?, ?> map -> of(CollectionConverters.asJava(map));
      case scala.collection.Seq<?> seq ->
          CollectionConverters.asJava(seq).stream().map(Values::of).toList();
      default -> value;
    };
  }

  private static Map<Object, Object> of(Map<?, ?> map) {
    Map<Object, Object> values = new HashMap<>();
    map.forEach((key, value) -> values.put(of(key), of(value)));
    return values;
  }

  /** Bytes with {@code equals} by content. */
  private record Bytes(byte[] content) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Bytes(byte[] theirs) && Arrays.equals(content, theirs);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(content);
    }

    @Override
    public String toString() {
      return "x'" + HexFormat.of().formatHex(content) + "'";
    }
  }
}
