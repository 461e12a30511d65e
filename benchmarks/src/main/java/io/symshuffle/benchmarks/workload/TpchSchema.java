// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import io.trino.tpch.TpchColumn;
import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * The columns of a TPC-H table as in section 1.4 of the specification: identifiers are 64-bit,
 * amounts are exact {@code decimal(12,2)}, dates are dates. The types in Spark's plan tests are not
 * suitable for data: their {@code decimal(10,0)} would round every discount to 0.
 */
final class TpchSchema<E extends TpchEntity> {
  private static final int AMOUNT_PRECISION = 12;
  private static final int AMOUNT_SCALE = 2;
  private static final DataType AMOUNT =
      DataTypes.createDecimalType(AMOUNT_PRECISION, AMOUNT_SCALE);

  private final List<TpchColumn<E>> columns;

  TpchSchema(TpchTable<E> table) {
    this.columns = table.getColumns();
  }

  StructType type() {
    return new StructType(
        columns.stream()
            .map(column -> DataTypes.createStructField(column.getColumnName(), type(column), false))
            .toArray(StructField[]::new));
  }

  InternalRow row(E entity) {
    Object[] values = new Object[columns.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(columns.get(i), entity);
    }
    return new GenericInternalRow(values);
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
      case DOUBLE ->
          Decimal.apply(Math.round(column.getDouble(entity) * 100), AMOUNT_PRECISION, AMOUNT_SCALE);
      // Days since 1970, as in Spark.
      case DATE -> column.getDate(entity);
      case VARCHAR -> UTF8String.fromString(column.getString(entity));
    };
  }
}
