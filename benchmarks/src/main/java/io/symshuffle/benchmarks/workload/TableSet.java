// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/**
 * The tables of a benchmark and the source of their rows. Executors generate the rows, so a set is
 * serializable; it is thread-safe.
 */
public interface TableSet extends Serializable {
  /** From this scale factor on parts are larger, with files of about 150 MB in large tables. */
  double LARGE_SCALE = 10;

  /** Returns the names of the tables, slowest first. */
  List<String> names();

  /** Returns the columns of a table. */
  StructType schema(String table);

  /** Registers tables, which are folders of Parquet files in {@code folder}, as temporary views. */
  default void register(SparkSession spark, List<String> tables, Path folder) {
    for (String table : tables) {
      spark
          .read()
          .schema(schema(table))
          .parquet(folder.resolve(table).toUri().toString())
          .createOrReplaceTempView(table);
    }
  }

  /** Returns the number of parts in which a table is generated, one task each; at least 1. */
  int parts(String table, double scale);

  /** Returns the maximum number of rows per file; 0 for one file per part. */
  long rowsPerFile(double scale);

  /**
   * Returns the rows of a part in Spark's internal form, each a new object; the same on each call.
   *
   * @param part from 1 to {@code parts}
   */
  Iterator<InternalRow> rows(String table, double scale, int part, int parts);
}
