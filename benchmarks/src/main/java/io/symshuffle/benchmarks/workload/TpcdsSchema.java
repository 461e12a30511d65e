// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import io.trino.tpcds.Table;
import io.trino.tpcds.column.Column;
import io.trino.tpcds.column.ColumnType;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The columns of a TPC-DS table as in section 2.2.2 of the specification: identifiers are 64-bit,
 * to hold any key at any scale; decimals have their precision; dates are dates; characters are
 * strings without padding. Any column may be null.
 */
final class TpcdsSchema {
  /** Names in version 1.4 of the specification, which the query texts follow. */
  private static final Map<String, String> NAMES =
      Map.of("c_last_review_date_sk", "c_last_review_date");

  private final List<Column> columns;
  private final DataType[] types;

  TpcdsSchema(Table table) {
    this.columns = Arrays.asList(table.getColumns());
    this.types = columns.stream().map(column -> type(column.getType())).toArray(DataType[]::new);
  }

  StructType type() {
    return new StructType(
        columns.stream()
            .map(
                column ->
                    DataTypes.createStructField(
                        NAMES.getOrDefault(column.getName(), column.getName()),
                        type(column.getType()),
                        true))
            .toArray(StructField[]::new));
  }

  /**
   * Returns the row of these values.
   *
   * @throws IllegalArgumentException if their number is not that of the columns
   */
  InternalRow row(List<String> values) {
    if (values.size() != columns.size()) {
      throw new IllegalArgumentException(
          values.size() + " values for " + columns.size() + " columns: " + values);
    }
    Object[] row = new Object[values.size()];
    for (int i = 0; i < row.length; i++) {
      String text = values.get(i);
      row[i] = text == null ? null : value(columns.get(i).getType().getBase(), types[i], text);
    }
    return new GenericInternalRow(row);
  }

  private static DataType type(ColumnType type) {
    return switch (type.getBase()) {
      case IDENTIFIER -> DataTypes.LongType;
      case INTEGER -> DataTypes.IntegerType;
      case DECIMAL ->
          DataTypes.createDecimalType(
              type.getPrecision().orElseThrow(), type.getScale().orElseThrow());
      case DATE -> DataTypes.DateType;
      case CHAR, VARCHAR, TIME -> DataTypes.StringType;
    };
  }

  private static Object value(ColumnType.Base base, DataType type, String text) {
    return switch (base) {
      case IDENTIFIER -> Long.valueOf(text);
      case INTEGER -> Integer.valueOf(text);
      case DECIMAL -> decimal((DecimalType) type, text);
      case DATE -> (int) LocalDate.parse(text).toEpochDay();
      case CHAR, VARCHAR, TIME -> UTF8String.fromString(text);
    };
  }

  /**
   * Returns the value of digits with at most the fraction digits of the type, such as {@code -5}
   * for {@code -5.00}. There are many of these, and {@code BigDecimal} takes several times longer.
   */
  static Decimal decimal(DecimalType type, String text) {
    int point = text.indexOf('.');
    int fraction = point < 0 ? 0 : text.length() - point - 1;
    String digits = point < 0 ? text : text.substring(0, point) + text.substring(point + 1);
    if (fraction > type.scale()) {
      throw new IllegalArgumentException(text + " does not fit " + type.simpleString());
    }
    long unscaled = Long.parseLong(digits);
    for (int i = fraction; i < type.scale(); i++) {
      unscaled *= 10;
    }
    return Decimal.apply(unscaled, type.precision(), type.scale());
  }
}
