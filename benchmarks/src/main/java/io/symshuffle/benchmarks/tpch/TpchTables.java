// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.tpch;

import io.trino.tpch.TpchTable;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/** The eight tables, each a folder of Parquet files under its name. */
public final class TpchTables {
  private TpchTables() {}

  /** The names: {@code customer}, {@code lineitem}, ... */
  public static List<String> names() {
    return TpchTable.getTables().stream().map(TpchTable::getTableName).toList();
  }

  /** Makes each table a temporary view of its name. */
  public static void register(SparkSession spark, Path folder) {
    for (TpchTable<?> table : TpchTable.getTables()) {
      String name = table.getTableName();
      spark
          .read()
          .schema(TpchSchema.of(table))
          .parquet(folder.resolve(name).toUri().toString())
          .createOrReplaceTempView(name);
    }
  }
}
