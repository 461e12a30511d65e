// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.jmh;

import io.symshuffle.benchmarks.workload.TpchTables;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.FrameDescriptor;
import io.symshuffle.shuffle.layout.RecordDescriptor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Rows that queries of TPC-H shuffle, as {@code UnsafeRow}s, hashed by their first column. */
public enum WireRows {
  /** The aggregation of q18. */
  Q18("lineitem", "orderkey quantity"),
  /** The large side of q3. */
  Q3("lineitem", "orderkey extendedprice discount"),
  /** The semi-join of q4. */
  Q4("orders", "orderkey orderpriority"),
  /** The customers of q10, mostly text. */
  Q10("customer", "custkey name address phone acctbal comment"),
  /** The large side of q9. */
  Q9("lineitem", "partkey orderkey suppkey quantity extendedprice discount");

  /** Partitions of the shuffle. */
  public static final int PARTITIONS = 64;

  /** Rows of one map task, at most. */
  private static final int MAX_ROWS = 750_000;

  private static final int MAP_TASKS = 8;

  /** Staging of a map task; each full buffer is a run, with one frame per partition. */
  private static final int STAGING_BYTES = 1 << 20;

  private final String table;
  private final String columns;

  WireRows(String table, String columns) {
    this.table = table;
    this.columns = columns;
  }

  /** The rows of the first of 8 map tasks at scale 1, by partition. */
  public List<List<byte[]>> byPartition() {
    List<List<byte[]>> rows = new ArrayList<>();
    for (int p = 0; p < PARTITIONS; p++) {
      rows.add(new ArrayList<>());
    }
    TpchTables tables = new TpchTables();
    StructType all = tables.schema(table);
    String prefix = all.fieldNames()[0].substring(0, all.fieldNames()[0].indexOf('_') + 1);
    int[] wanted = names().stream().mapToInt(name -> all.fieldIndex(prefix + name)).toArray();
    StructType schema =
        new StructType(
            Arrays.stream(wanted).mapToObj(i -> all.fields()[i]).toArray(StructField[]::new));
    UnsafeProjection projection = UnsafeProjection.create(schema);
    Iterator<InternalRow> generated = tables.rows(table, 1, 1, MAP_TASKS);
    for (int count = 0; count < MAX_ROWS && generated.hasNext(); count++) {
      InternalRow row = generated.next();
      Object[] values =
          Arrays.stream(wanted).mapToObj(i -> row.get(i, all.fields()[i].dataType())).toArray();
      long key = ((Number) values[0]).longValue();
      int partition = (int) ((key * 0x9E3779B97F4A7C15L) >>> 58);
      rows.get(partition).add(projection.apply(new GenericInternalRow(values)).getBytes().clone());
    }
    return rows;
  }

  /**
   * The bytes that are sent uncompressed for each partition: frames of records, one frame per run
   * of the map task.
   */
  public static List<byte[]> blocks(List<List<byte[]>> byPartition) {
    List<byte[]> blocks = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<byte[]> rows = byPartition.get(partition);
      List<byte[]> frames = new ArrayList<>();
      int first = 0;
      while (first < rows.size()) {
        int end = first;
        long bytes = 0;
        while (end < rows.size() && bytes < STAGING_BYTES / PARTITIONS) {
          bytes += RecordDescriptor.sizeOf(rows.get(end++).length);
        }
        frames.add(frame(partition, rows.subList(first, end), (int) bytes));
        first = end;
      }
      ByteBuffer block = ByteBuffer.allocate(frames.stream().mapToInt(frame -> frame.length).sum());
      frames.forEach(block::put);
      blocks.add(block.array());
    }
    return blocks;
  }

  private List<String> names() {
    return List.of(columns.split(" ", -1));
  }

  private static byte[] frame(int partition, List<byte[]> rows, int bytes) {
    ByteBuffer records = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    for (byte[] row : rows) {
      records.putInt(row.length).putInt(partition).put(row);
    }
    return ByteBuffer.allocate(FrameDescriptor.HEADER_BYTES + bytes)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(FrameDescriptor.MAGIC)
        .putInt(partition)
        .putLong(bytes)
        .putInt(Crc32c.of(records.flip()))
        .putInt(0)
        .put(records)
        .array();
  }
}
