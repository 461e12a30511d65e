// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/**
 * The tables of a benchmark and where their rows come from. Executors make the rows, so it goes to
 * them; any thread may ask.
 */
public interface TableSet extends Serializable {
  /** The names of the tables; those that take longest first. */
  List<String> names();

  /** The columns of a table. */
  StructType schema(String table);

  /** How many parts a table is generated in, each by one task: 1 or more. */
  int parts(String table, double scale);

  /** The most rows that one file takes; 0: a file for each part. */
  long rowsPerFile();

  /**
   * The rows of one part; the same at each call.
   *
   * @param scale the scale factor
   * @param part from 1 to {@code parts}
   * @param parts into how many parts the table is divided
   */
  Iterator<Row> rows(String table, double scale, int part, int parts);
}
