// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/** Registers tables for queries. */
public final class TableViews {
  private TableViews() {}

  /** Registers tables, which are folders of Parquet files in {@code folder}, as temporary views. */
  public static void register(
      SparkSession spark, TableSet tables, List<String> names, Path folder) {
    for (String table : names) {
      spark
          .read()
          .schema(tables.schema(table))
          .parquet(folder.resolve(table).toUri().toString())
          .createOrReplaceTempView(table);
    }
  }
}
