// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import io.symshuffle.benchmarks.protocol.ResultColumns;
import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import io.symshuffle.benchmarks.protocol.StageFigures;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;

/**
 * One run of a query.
 *
 * @param seconds time from the creation of the Dataset to its rows
 * @param rows the rows in the order of Spark
 */
record Timing(
    double seconds,
    List<Row> rows,
    ResultColumns columns,
    ShuffleFigures figures,
    List<StageFigures> stages) {
  /** Runs a query on a new Dataset, since one that ran before would reuse its shuffle output. */
  static Timing of(ShuffleMeter meter, Supplier<Dataset<Row>> query) throws InterruptedException {
    ShuffleFigures before = meter.read();
    meter.takeStages();
    long start = System.nanoTime();
    Dataset<Row> dataset = query.get();
    List<Row> rows = dataset.collectAsList();
    double seconds = (System.nanoTime() - start) / 1e9;
    ShuffleFigures figures = meter.read().since(before);
    return new Timing(seconds, rows, columns(dataset), figures, meter.takeStages());
  }

  private static ResultColumns columns(Dataset<Row> dataset) {
    StructField[] fields = dataset.schema().fields();
    return new ResultColumns(
        SortKeys.of(dataset.queryExecution().analyzed()),
        IntStream.range(0, fields.length).filter(i -> isDouble(fields[i])).boxed().toList());
  }

  private static boolean isDouble(StructField field) {
    return field.dataType().equals(DataTypes.DoubleType)
        || field.dataType().equals(DataTypes.FloatType);
  }
}
