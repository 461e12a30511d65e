// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.tables;

import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/** Makes tables visible to queries. */
public final class TableViews {
  private TableViews() {}

  /** Makes each table in the folder, itself a folder of Parquet files, a view of its name. */
  public static void register(SparkSession spark, TableSet tables, Path folder) {
    for (String table : tables.names()) {
      spark
          .read()
          .schema(tables.schema(table))
          .parquet(folder.resolve(table).toUri().toString())
          .createOrReplaceTempView(table);
    }
  }
}
