// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import io.trino.tpcds.Results;
import io.trino.tpcds.Scaling;
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

  /** The generator counts sales and returns in orders, of about ten rows each; a few seconds. */
  private static final long ORDERS_PER_PART = 30_000;

  /** Tables with several versions of a row, which cannot be divided, are smaller at any scale. */
  private static final long ROWS_PER_PART = 1_000_000;

  /** About 20 MB of Parquet. */
  private static final long ROWS_PER_FILE = 500_000;

  /** How many times as large parts and files are from {@link #LARGE_SCALE} on. */
  private static final int LARGER = 8;

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
    boolean orders = table.endsWith("_sales") || table.endsWith("_returns");
    long count = new Scaling(scale).getRowCount(Table.getTable(table));
    long size = (orders ? ORDERS_PER_PART : ROWS_PER_PART) * times(scale);
    return Math.clamp(Math.ceilDiv(count, size), 1, 10_000);
  }

  @Override
  public long rowsPerFile(double scale) {
    return ROWS_PER_FILE * times(scale);
  }

  private static int times(double scale) {
    return scale < LARGE_SCALE ? 1 : LARGER;
  }

  @Override
  public Iterator<InternalRow> rows(String table, double scale, int part, int parts) {
    Table generated = Table.getTable(table);
    Session session = Session.getDefaultSession().withTable(generated).withScale(scale);
    // The generator's own division into chunks leaves tables of less than a million orders whole.
    long count = session.getScaling().getRowCount(generated);
    long first = count * (part - 1) / parts + 1;
    long last = count * part / parts;
    TpcdsSchema schema = new TpcdsSchema(generated);
    return StreamSupport.stream(
            Results.constructResults(generated, first, last, session).spliterator(), false)
        .flatMap(List::stream)
        .map(schema::row)
        .iterator();
  }

  private static int rank(String table) {
    int rank = LARGE.indexOf(table);
    return rank < 0 ? LARGE.size() : rank;
  }
}
