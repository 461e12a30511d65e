// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;

/**
 * Classes with RAPIDS' names, compiled for one test. Columns are numbers, a serialized table has
 * those of the first column.
 */
final class FakeRapids {
  private static final Map<String, String> CLASSES =
      Map.ofEntries(
          Map.entry(
              "ai.rapids.cudf.ColumnVector",
              """
              public class ColumnVector implements AutoCloseable {
                public static int open;
                public final long[] values;
                public ColumnVector(long... values) { this.values = values; open++; }
                public static ColumnVector fromLongs(long... values) { return new ColumnVector(values); }
                public static ColumnVector fromStrings(String... values) { return null; }
                public HostColumnVector copyToHost() { return null; }
                public void close() { open--; }
              }
              """),
          Map.entry(
              "ai.rapids.cudf.HostColumnVector",
              """
              public class HostColumnVector {
                public long getLong(long row) { return 0; }
                public String getJavaString(long row) { return null; }
                public boolean isNull(long row) { return true; }
              }
              """),
          Map.entry(
              "ai.rapids.cudf.Table",
              """
              public class Table implements AutoCloseable {
                public final ColumnVector[] columns;
                public Table(ColumnVector... columns) { this.columns = columns; }
                public ColumnVector getColumn(int number) { return columns[number]; }
                public long getRowCount() { return columns[0].values.length; }
                public void close() {}
              }
              """),
          Map.entry(
              "ai.rapids.cudf.MemoryBuffer",
              """
              public class MemoryBuffer implements AutoCloseable {
                public static int open;
                public byte[] data;
                public MemoryBuffer(byte[] data) { this.data = data; open++; }
                public long getAddress() { return 4096; }
                public long getLength() { return data.length; }
                public void close() { open--; }
              }
              """),
          Map.entry(
              "ai.rapids.cudf.BaseDeviceMemoryBuffer",
              """
              public class BaseDeviceMemoryBuffer extends MemoryBuffer {
                public BaseDeviceMemoryBuffer(byte[] data) { super(data); }
              }
              """),
          Map.entry(
              "ai.rapids.cudf.DeviceMemoryBuffer",
              """
              public class DeviceMemoryBuffer extends BaseDeviceMemoryBuffer {
                public DeviceMemoryBuffer(byte[] data) { super(data); }
                public static DeviceMemoryBuffer allocate(long bytes) { return null; }
                public DeviceMemoryBuffer slice(long offset, long bytes) { return null; }
              }
              """),
          Map.entry(
              "ai.rapids.cudf.HostMemoryBuffer",
              """
              public class HostMemoryBuffer extends MemoryBuffer {
                public HostMemoryBuffer(byte[] data) { super(data); }
                public static HostMemoryBuffer allocate(long bytes) {
                  return new HostMemoryBuffer(new byte[(int) bytes]);
                }
                public void copyFromDeviceBuffer(BaseDeviceMemoryBuffer from) { data = from.data; }
                public java.nio.ByteBuffer asByteBuffer() { return java.nio.ByteBuffer.wrap(data); }
              }
              """),
          Map.entry(
              "ai.rapids.cudf.Cuda",
              """
              public class Cuda {
                public static final Stream DEFAULT_STREAM = null;
                public static int getDevice() { return 0; }
                public static class Stream { public long getStream() { return 0; } }
              }
              """),
          Map.entry(
              "ai.rapids.cudf.Schema",
              """
              public class Schema {
                public int[] getFlattenedTypeIds() { return new int[0]; }
                public int[] getFlattenedNumChildren() { return new int[0]; }
              }
              """),
          Map.entry(
              "com.nvidia.spark.rapids.jni.kudo.KudoGpuSerializer",
              """
              import ai.rapids.cudf.*;
              import java.nio.*;
              public class KudoGpuSerializer {
                public static DeviceMemoryBuffer[] splitAndSerializeToDevice(
                    Table table, int... splits) {
                  long[] values = table.columns[0].values;
                  ByteBuffer data = ByteBuffer.allocate(8 * values.length);
                  data.asLongBuffer().put(values);
                  ByteBuffer offsets =
                      ByteBuffer.allocate(8 * (splits.length + 2)).order(ByteOrder.LITTLE_ENDIAN);
                  offsets.putLong(0);
                  for (int split : splits) {
                    offsets.putLong(8L * split);
                  }
                  offsets.putLong(8L * values.length);
                  return new DeviceMemoryBuffer[] {
                    new DeviceMemoryBuffer(data.array()), new DeviceMemoryBuffer(offsets.array())
                  };
                }
                public static Table assembleFromDeviceRaw(
                    Schema schema, DeviceMemoryBuffer data, DeviceMemoryBuffer offsets) {
                  return null;
                }
              }
              """),
          Map.entry(
              "com.nvidia.spark.rapids.GpuColumnVector",
              """
              import org.apache.spark.sql.types.DataType;
              import org.apache.spark.sql.vectorized.ColumnarBatch;
              public class GpuColumnVector implements AutoCloseable {
                public final ai.rapids.cudf.ColumnVector base;
                public GpuColumnVector(long... values) {
                  base = new ai.rapids.cudf.ColumnVector(values);
                }
                public ai.rapids.cudf.ColumnVector getBase() { return base; }
                public static GpuColumnVector[] extractColumns(ColumnarBatch batch) {
                  return ((Fakes.Batch) batch).columns;
                }
                public static ai.rapids.cudf.Schema from(DataType... types) { return null; }
                public void close() { base.close(); }
              }
              """),
          Map.entry(
              "com.nvidia.spark.rapids.GpuPartitioning",
              "public interface GpuPartitioning { int numPartitions(); }"),
          Map.entry(
              "com.nvidia.spark.rapids.GpuMetric",
              """
              public class GpuMetric {
                public Object ns(scala.Function0<?> timed) { return timed.apply(); }
              }
              """),
          Map.entry(
              "com.nvidia.spark.rapids.GpuHashPartitioningBase",
              """
              import org.apache.spark.sql.vectorized.ColumnarBatch;
              public record GpuHashPartitioningBase(int numPartitions) implements GpuPartitioning {
                public scala.Tuple2<?, ?> partitionInternalAndClose(ColumnarBatch batch) {
                  return Fakes.ordered(batch);
                }
              }
              """),
          Map.entry(
              "com.nvidia.spark.rapids.GpuRangePartitioner",
              """
              import org.apache.spark.sql.vectorized.ColumnarBatch;
              public record GpuRangePartitioner(int numPartitions) implements GpuPartitioning {
                public scala.Tuple2<?, ?> computeBoundsAndCloseWithRetry(ColumnarBatch batch) {
                  return Fakes.ordered(batch);
                }
              }
              """),
          Map.entry(
              "com.nvidia.spark.rapids.GpuRoundRobinPartitioning",
              """
              import org.apache.spark.sql.vectorized.ColumnarBatch;
              public record GpuRoundRobinPartitioning(int numPartitions)
                  implements GpuPartitioning {
                private scala.Tuple2<?, ?> partitionInternalWithClose(ColumnarBatch batch) {
                  return Fakes.ordered(batch);
                }
              }
              """),
          Map.entry(
              "com.nvidia.spark.rapids.OtherPartitioning",
              """
              public record OtherPartitioning(int numPartitions) implements GpuPartitioning {}
              """),
          Map.entry(
              "com.nvidia.spark.rapids.GpuSemaphore$",
              """
              public class GpuSemaphore$ {
                public static final GpuSemaphore$ MODULE$ = new GpuSemaphore$();
                public void releaseIfNecessary(org.apache.spark.TaskContext task) {
                  Fakes.released++;
                }
              }
              """),
          Map.entry(
              "com.nvidia.spark.rapids.GpuOpTimeTrackingRDD$$anon$1",
              """
              import scala.collection.*;
              public class GpuOpTimeTrackingRDD$$anon$1 extends AbstractIterator<Object> {
                private final Iterator<?> childIterator$1;
                public GpuOpTimeTrackingRDD$$anon$1(Iterator<?> child) { childIterator$1 = child; }
                public boolean hasNext() { return childIterator$1.hasNext(); }
                public Object next() { return childIterator$1.next(); }
              }
              """),
          Map.entry(
              "org.apache.spark.sql.rapids.execution.GpuShuffleExchangeExecBase$$anon$1",
              """
              import org.apache.spark.sql.vectorized.ColumnarBatch;
              public class GpuShuffleExchangeExecBase$$anon$1
                  extends scala.collection.AbstractIterator<Object> {
                private final scala.Function1<ColumnarBatch, Object> getParts$1;
                private final ColumnarBatch batch;
                public GpuShuffleExchangeExecBase$$anon$1(
                    scala.Function1<ColumnarBatch, Object> getParts, ColumnarBatch batch) {
                  getParts$1 = getParts;
                  this.batch = batch;
                }
                public boolean hasNext() { return true; }
                public Object next() { return getParts$1.apply(batch); }
              }
              """),
          Map.entry(
              "com.nvidia.spark.rapids.Fakes",
              """
              import org.apache.spark.sql.rapids.execution.*;
              import org.apache.spark.sql.vectorized.*;
              import scala.*;
              public class Fakes {
                public static int released;
                public static class Batch extends ColumnarBatch {
                  final GpuColumnVector[] columns;
                  Batch(int rows, GpuColumnVector... columns) {
                    super(new ColumnVector[columns.length], rows);
                    this.columns = columns;
                  }
                }
                /** The first partition has two rows, the second none, the third the others. */
                static Tuple2<?, ?> ordered(ColumnarBatch batch) {
                  return new Tuple2<>(new int[] {0, 2, 2}, ((Batch) batch).columns);
                }
                public static scala.collection.Iterator<?> exchange(
                    String partitioning, int partitions, int columns) throws Exception {
                  GpuPartitioning partitioner =
                      (GpuPartitioning)
                          Class.forName("com.nvidia.spark.rapids." + partitioning)
                              .getConstructor(int.class)
                              .newInstance(partitions);
                  GpuMetric metric = new GpuMetric();
                  Function1<ColumnarBatch, Object> getParts =
                      batch -> metric.ns(() -> "sliced into " + partitioner.numPartitions());
                  GpuColumnVector[] all = new GpuColumnVector[columns];
                  java.util.Arrays.setAll(all, i -> new GpuColumnVector(7, 8, 9, 10, 11));
                  return new GpuOpTimeTrackingRDD$$anon$1(
                      new GpuShuffleExchangeExecBase$$anon$1(getParts, new Batch(5, all)));
                }
              }
              """));

  private FakeRapids() {}

  /** Compiles the classes; returns a loader of them. */
  static URLClassLoader load(Path folder) throws IOException {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "-proc:none",
                "-nowarn",
                "-d",
                classes.toString(),
                "-cp",
                System.getProperty("java.class.path")));
    for (Map.Entry<String, String> each : CLASSES.entrySet()) {
      int dot = each.getKey().lastIndexOf('.');
      Path file = folder.resolve(each.getKey().substring(dot + 1) + ".java");
      String header = "package %s;%n".formatted(each.getKey().substring(0, dot));
      Files.writeString(file, header + each.getValue());
      arguments.add(file.toString());
    }
    assertEquals(
        0,
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, arguments.toArray(String[]::new)));
    return new URLClassLoader(
        new URL[] {classes.toUri().toURL()}, FakeRapids.class.getClassLoader());
  }
}
