// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import io.trino.tpcds.Table;
import io.trino.tpcds.column.Column;
import io.trino.tpcds.column.ColumnType;
import java.math.BigDecimal;
import java.sql.Date;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

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

  TpcdsSchema(Table table) {
    this.columns = Arrays.asList(table.getColumns());
  }

  static StructType of(Table table) {
    return new StructType(
        Arrays.stream(table.getColumns())
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
  Row row(List<String> values) {
    if (values.size() != columns.size()) {
      throw new IllegalArgumentException(
          values.size() + " values for " + columns.size() + " columns: " + values);
    }
    Object[] row = new Object[values.size()];
    for (int i = 0; i < row.length; i++) {
      String text = values.get(i);
      row[i] = text == null ? null : value(columns.get(i).getType(), text);
    }
    return RowFactory.create(row);
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

  private static Object value(ColumnType type, String text) {
    return switch (type.getBase()) {
      case IDENTIFIER -> Long.valueOf(text);
      case INTEGER -> Integer.valueOf(text);
      case DECIMAL -> new BigDecimal(text).setScale(type.getScale().orElseThrow());
      case DATE -> Date.valueOf(text);
      case CHAR, VARCHAR, TIME -> text;
    };
  }
}
