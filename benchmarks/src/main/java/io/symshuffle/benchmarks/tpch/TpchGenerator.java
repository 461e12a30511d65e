// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.tpch;

import io.symshuffle.benchmarks.protocol.ProgressSink;
import io.symshuffle.benchmarks.protocol.Reply;
import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.apache.spark.api.java.function.MapPartitionsFunction;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/** Generates the tables as a Spark job: each task makes and writes one part of one table. */
public final class TpchGenerator {
  /** Parts of the two large tables at scale 1: some 25 MB of Parquet each. */
  private static final int PARTS_A_SCALE = 8;

  private static final Set<String> LARGE = Set.of("lineitem", "orders");
  private static final Set<String> SMALL = Set.of("nation", "region", "supplier");

  private final SparkSession spark;
  private final double scale;
  private final ProgressSink progress;

  /** Prepares to generate at a scale factor above 0. */
  public TpchGenerator(SparkSession spark, double scale, ProgressSink progress) {
    this.spark = spark;
    this.scale = scale;
    this.progress = progress;
  }

  /**
   * Writes all tables, over what was there.
   *
   * @return how many rows each has
   * @throws IOException if nobody listens to the progress any more
   */
  public Map<String, Long> write(Path folder) throws IOException {
    int total = TpchTable.getTables().stream().mapToInt(this::parts).sum();
    int done = 0;
    Map<String, Long> rows = new LinkedHashMap<>();
    for (TpchTable<?> table : TpchTable.getTables()) {
      progress.accept(new Reply.Progress(table.getTableName(), done, total));
      rows.put(table.getTableName(), write(table, folder));
      done += parts(table);
    }
    progress.accept(new Reply.Progress("all tables", total, total));
    return rows;
  }

  private long write(TpchTable<?> table, Path folder) {
    String name = table.getTableName();
    String path = folder.resolve(name).toUri().toString();
    int parts = parts(table);
    spark
        .range(0, parts, 1, parts)
        .mapPartitions(part(name, scale, parts), Encoders.row(TpchSchema.of(table)))
        .write()
        .mode(SaveMode.Overwrite)
        .parquet(path);
    return spark.read().parquet(path).count();
  }

  private int parts(TpchTable<?> table) {
    if (SMALL.contains(table.getTableName())) {
      return 1;
    }
    int parts = (int) Math.min(10_000, Math.max(1, Math.ceil(scale * PARTS_A_SCALE)));
    return LARGE.contains(table.getTableName()) ? parts : (parts + 3) / 4;
  }

  /** Static, and the table by name: what travels to the executors must be serializable. */
  private static MapPartitionsFunction<Long, Row> part(String table, double scale, int parts) {
    return numbers ->
        numbers.hasNext()
            ? rows(TpchTable.getTable(table), scale, Math.toIntExact(numbers.next()) + 1, parts)
            : Collections.emptyIterator();
  }

  private static <E extends TpchEntity> Iterator<Row> rows(
      TpchTable<E> table, double scale, int part, int parts) {
    return StreamSupport.stream(table.createGenerator(scale, part, parts).spliterator(), false)
        .map(entity -> TpchSchema.row(table, entity))
        .iterator();
  }
}
