// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import io.trino.tpcds.Results;
import io.trino.tpcds.Session;
import io.trino.tpcds.Table;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/** The 24 tables of TPC-DS. */
public final class TpcdsTables implements TableSet {
  private static final long serialVersionUID = 1;

  /** Parts of the large tables at scale 1. */
  private static final int PARTS_PER_SCALE = 8;

  /** About 20 MB of Parquet; the generator does not divide most tables below scale 5. */
  private static final long ROWS_PER_FILE = 500_000;

  /** Tables that grow with the scale, slowest first. */
  private static final List<String> LARGE =
      List.of(
          "store_sales",
          "store_returns",
          "catalog_sales",
          "catalog_returns",
          "inventory",
          "web_sales",
          "web_returns",
          "customer_demographics",
          "customer",
          "customer_address");

  /** Not in the specification: it describes the generator. */
  private static final Set<Table> LEFT_OUT = Set.of(Table.DBGEN_VERSION);

  @Override
  public List<String> names() {
    return Table.getBaseTables().stream()
        .filter(table -> !LEFT_OUT.contains(table))
        .map(Table::getName)
        .sorted(Comparator.comparingInt(TpcdsTables::rank))
        .toList();
  }

  @Override
  public StructType schema(String table) {
    return new TpcdsSchema(Table.getTable(table)).type();
  }

  @Override
  public int parts(String table, double scale) {
    return LARGE.contains(table)
        ? (int) Math.min(10_000, Math.max(1, Math.ceil(scale * PARTS_PER_SCALE)))
        : 1;
  }

  @Override
  public long rowsPerFile() {
    return ROWS_PER_FILE;
  }

  @Override
  public Iterator<InternalRow> rows(String table, double scale, int part, int parts) {
    Table generated = Table.getTable(table);
    Session session =
        Session.getDefaultSession()
            .withTable(generated)
            .withScale(scale)
            .withParallelism(parts)
            .withChunkNumber(part);
    TpcdsSchema schema = new TpcdsSchema(generated);
    return StreamSupport.stream(Results.constructResults(generated, session).spliterator(), false)
        .flatMap(List::stream)
        .map(schema::row)
        .iterator();
  }

  private static int rank(String table) {
    int rank = LARGE.indexOf(table);
    return rank < 0 ? LARGE.size() : rank;
  }
}
