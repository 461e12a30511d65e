// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.StructType;

/** The eight tables of TPC-H. */
public final class TpchTables implements TableSet {
  private static final long serialVersionUID = 1;

  /** Parts of the two large tables at scale 1, so that a few cores have enough of them. */
  private static final int PARTS_PER_SCALE = 8;

  /** Megabytes of a part on a large scale: each file costs time to open, whatever its size. */
  private static final double MB_PER_PART = 156;

  /** Megabytes of Parquet at scale 1. */
  private static final Map<String, Integer> MB =
      Map.of("lineitem", 200, "orders", 55, "partsupp", 42, "customer", 12, "part", 7);

  private static final List<String> NAMES =
      List.of("lineitem", "orders", "partsupp", "part", "customer", "supplier", "nation", "region");

  private static final Set<String> LARGE = Set.of("lineitem", "orders");
  private static final Set<String> SMALL = Set.of("nation", "region", "supplier");

  @Override
  public List<String> names() {
    return NAMES;
  }

  @Override
  public StructType schema(String table) {
    return new TpchSchema<>(TpchTable.getTable(table)).type();
  }

  @Override
  public int parts(String table, double scale) {
    if (SMALL.contains(table)) {
      return 1;
    }
    if (scale >= LARGE_SCALE) {
      return Math.clamp(Math.round(scale * MB.get(table) / MB_PER_PART), 1, 10_000);
    }
    int parts = (int) Math.max(1, Math.ceil(scale * PARTS_PER_SCALE));
    return LARGE.contains(table) ? parts : (parts + 3) / 4;
  }

  @Override
  public long rowsPerFile(double scale) {
    return 0;
  }

  @Override
  public Iterator<InternalRow> rows(String table, double scale, int part, int parts) {
    return rows(TpchTable.getTable(table), scale, part, parts);
  }

  private static <E extends TpchEntity> Iterator<InternalRow> rows(
      TpchTable<E> table, double scale, int part, int parts) {
    TpchSchema<E> schema = new TpchSchema<>(table);
    return StreamSupport.stream(table.createGenerator(scale, part, parts).spliterator(), false)
        .map(schema::row)
        .iterator();
  }
}
