// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import io.trino.tpch.TpchColumn;
import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.math.BigDecimal;
import java.sql.Date;
import java.time.LocalDate;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The columns of the TPC-H tables as in section 1.4 of the specification: identifiers are 64-bit,
 * amounts are exact {@code decimal(12,2)}, dates are dates. The types in Spark's plan tests are not
 * suitable for data: their {@code decimal(10,0)} would round every discount to 0.
 */
final class TpchSchema {
  private static final int AMOUNT_SCALE = 2;
  private static final DataType AMOUNT = DataTypes.createDecimalType(12, AMOUNT_SCALE);

  private TpchSchema() {}

  static StructType of(TpchTable<?> table) {
    return new StructType(
        table.getColumns().stream()
            .map(column -> DataTypes.createStructField(column.getColumnName(), type(column), false))
            .toArray(StructField[]::new));
  }

  static <E extends TpchEntity> Row row(TpchTable<E> table, E entity) {
    return RowFactory.create(
        table.getColumns().stream().map(column -> value(column, entity)).toArray());
  }

  private static DataType type(TpchColumn<?> column) {
    return switch (column.getType().getBase()) {
      case IDENTIFIER -> DataTypes.LongType;
      case INTEGER -> DataTypes.IntegerType;
      case DOUBLE -> AMOUNT;
      case DATE -> DataTypes.DateType;
      case VARCHAR -> DataTypes.StringType;
    };
  }

  private static <E extends TpchEntity> Object value(TpchColumn<E> column, E entity) {
    return switch (column.getType().getBase()) {
      case IDENTIFIER -> column.getIdentifier(entity);
      case INTEGER -> column.getInteger(entity);
      // The generator divides cents by 100; rounding restores the exact cents.
      case DOUBLE -> BigDecimal.valueOf(Math.round(column.getDouble(entity) * 100), AMOUNT_SCALE);
      case DATE -> Date.valueOf(LocalDate.ofEpochDay(column.getDate(entity)));
      case VARCHAR -> column.getString(entity);
    };
  }
}
