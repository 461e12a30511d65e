// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.kernel.TableSchema;
import io.symshuffle.shuffle.table.SplitBatch;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.BooleanType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.StructType;

/**
 * Serializes and assembles tables with Kudo's serializer for GPUs ({@code KudoGpuSerializer} of
 * spark-rapids-jni, as of 26.08): all partitions of a batch in one call and one buffer.
 *
 * <p>Its format aligns values to 4 bytes only, so columns are serialized from the widest to the
 * narrowest, and those of variable width last, since values that are not aligned pack badly.
 * Thread-safe.
 */
final class TableSerializer {
  /**
   * Most rows of a table: a partition with more is several. RAPIDS' assembly reads beyond the
   * validity of some tables whose rows are just below a multiple of twice as many.
   */
  private static final int MAX_ROWS = 4 << 20;

  private final CudfApi cudf;
  private final Optional<RowHashes> rowHashes;
  private final Member split;
  private final Member assemble;
  private final Member schema;
  private final Member typeIds;
  private final Member children;

  /**
   * @throws RapidsMismatchException if a member is missing; the message names it
   */
  TableSerializer(Members members, CudfApi cudf, Optional<RowHashes> rowHashes)
      throws RapidsMismatchException {
    this.cudf = cudf;
    this.rowHashes = rowHashes;
    Class<?> kudo = members.type("com.nvidia.spark.rapids.jni.kudo.KudoGpuSerializer");
    Class<?> schemaType = members.type("ai.rapids.cudf.Schema");
    Class<?> device = members.type("ai.rapids.cudf.DeviceMemoryBuffer");
    this.split =
        members.staticMethod(
            kudo, "splitAndSerializeToDevice", device.arrayType(), cudf.table(), int[].class);
    this.assemble =
        members.staticMethod(
            kudo, "assembleFromDeviceRaw", cudf.table(), schemaType, device, device);
    this.schema =
        members.staticMethod(
            members.type("com.nvidia.spark.rapids.GpuColumnVector"),
            "from",
            schemaType,
            DataType[].class);
    this.typeIds = members.method(schemaType, "getFlattenedTypeIds", int[].class);
    this.children = members.method(schemaType, "getFlattenedNumChildren", int[].class);
  }

  /**
   * Serializes rows that are ordered by partition. May be repeated if it throws an exception.
   *
   * @param columns cuDF's columns, which stay open
   * @param types their types, in the same order
   * @param first number of the first partition
   * @param ends the row after the last one of each partition: int[partitions], ascending
   */
  SplitBatch serialize(
      List<Object> columns, DataType[] types, int first, int[] ends, boolean hashRows) {
    Slices slices = Slices.of(first, ends);
    Object buffers;
    AutoCloseable table = cudf.table(Arrays.stream(order(types)).mapToObj(columns::get).toList());
    try {
      buffers = split.call(table, Arrays.copyOf(slices.ends(), slices.ends().length - 1));
    } finally {
      RapidsEngine.close(table);
    }
    AutoCloseable data = (AutoCloseable) Array.get(buffers, 0);
    AutoCloseable offsets = (AutoCloseable) Array.get(buffers, 1);
    boolean done = false;
    try {
      long hash = hashRows ? rowHashes.orElseThrow().sum(columns, slices) : 0;
      List<SplitBatch.Table> tables = slices.tables(cudf.longsOf(offsets));
      done = true;
      return new SplitBatch(tables, cudf.range(data), hash, closeOnce(data));
    } finally {
      RapidsEngine.close(offsets);
      if (!done) {
        RapidsEngine.close(data);
      }
    }
  }

  /**
   * The slices of a batch that become tables, some of which may be empty.
   *
   * @param partitions of each slice
   * @param ends the row after the last one of each, ascending
   */
  record Slices(int[] partitions, int[] ends) {
    /** One slice per partition, or several for one of many rows. */
    static Slices of(int first, int[] ends) {
      IntStream.Builder partitions = IntStream.builder();
      IntStream.Builder all = IntStream.builder();
      int start = 0;
      for (int i = 0; i < ends.length; i++) {
        for (; ends[i] - start > MAX_ROWS; start += MAX_ROWS) {
          partitions.add(first + i);
          all.add(start + MAX_ROWS);
        }
        partitions.add(first + i);
        all.add(ends[i]);
        start = ends[i];
      }
      return new Slices(partitions.build().toArray(), all.build().toArray());
    }

    /** Number of rows of each slice. */
    int[] rows() {
      int[] rows = ends.clone();
      for (int i = rows.length - 1; i > 0; i--) {
        rows[i] -= ends[i - 1];
      }
      return rows;
    }

    private List<SplitBatch.Table> tables(long[] offsets) {
      int[] rows = rows();
      List<SplitBatch.Table> tables = new ArrayList<>(rows.length);
      for (int i = 0; i < rows.length; i++) {
        if (rows[i] > 0) {
          tables.add(
              new SplitBatch.Table(
                  partitions[i], rows[i], offsets[i], offsets[i + 1] - offsets[i]));
        }
      }
      return tables;
    }
  }

  /** Assembles tables, see {@link io.symshuffle.shuffle.table.TableEngine#assemble}. */
  AutoCloseable assemble(Object buffer, long dataBytes, int tables, DataType[] types) {
    int[] order = order(types);
    AutoCloseable data = cudf.slice(buffer, 0, dataBytes);
    AutoCloseable offsets = cudf.slice(buffer, dataBytes, (tables + 1L) * Long.BYTES);
    AutoCloseable whole;
    try {
      whole = (AutoCloseable) assemble.call(schemaOf(types, order), data, offsets);
    } finally {
      RapidsEngine.close(offsets);
      RapidsEngine.close(data);
    }
    try {
      Object[] columns = new Object[order.length];
      for (int i = 0; i < order.length; i++) {
        columns[order[i]] = cudf.column(whole, i);
      }
      return cudf.table(List.of(columns));
    } finally {
      RapidsEngine.close(whole);
    }
  }

  /** The columns of serialized tables. */
  TableSchema schema(DataType[] types) {
    Object flattened = schemaOf(types, order(types));
    int[] ids = (int[]) typeIds.call(flattened);
    int[] counts = (int[]) children.call(flattened);
    return new TableSchema(
        IntStream.range(0, ids.length).mapToObj(i -> TypeId.column(ids[i], counts[i])).toList());
  }

  private Object schemaOf(DataType[] types, int[] order) {
    return schema.call(
        (Object) Arrays.stream(order).mapToObj(i -> types[i]).toArray(DataType[]::new));
  }

  /** The numbers of the columns, in the order in which they are serialized. */
  static int[] order(DataType[] types) {
    return IntStream.range(0, types.length)
        .boxed()
        .sorted(Comparator.comparingInt(i -> rank(types[i])))
        .mapToInt(i -> i)
        .toArray();
  }

  private static int rank(DataType type) {
    return switch (type) {
      case DecimalType decimal -> decimal.precision() > 9 ? 0 : 1;
      case IntegerType four -> 1;
      case FloatType four -> 1;
      case DateType four -> 1;
      case ShortType two -> 2;
      case ByteType one -> 3;
      case BooleanType one -> 3;
      case NullType one -> 3;
      case StringType text -> 4;
      case BinaryType nested -> 5;
      case ArrayType nested -> 5;
      case MapType nested -> 5;
      case StructType nested -> 5;
      default -> 0;
    };
  }

  /** Closes an object at the first call. */
  private static Runnable closeOnce(AutoCloseable object) {
    AtomicBoolean closed = new AtomicBoolean();
    return () -> {
      if (closed.compareAndSet(false, true)) {
        RapidsEngine.close(object);
      }
    };
  }
}
