// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.table.SplitBatch;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Tuple2;
import scala.collection.Iterator;

class BatchSplitterTest {
  private static final DataType[] TYPES = {DataTypes.LongType};

  @TempDir private static Path folder;
  private static URLClassLoader loader;
  private static BatchSplitter splitter;

  @BeforeAll
  static void load() throws Exception {
    loader = FakeRapids.load(folder);
    Members members = new Members(loader);
    CudfApi cudf = new CudfApi(members);
    splitter = new BatchSplitter(members, new TableSerializer(members, cudf, Optional.empty()));
  }

  @AfterAll
  static void close() throws Exception {
    loader.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"GpuHashPartitioningBase", "GpuRangePartitioner", "GpuRoundRobinPartitioning"})
  void tablesOfABatchComeTogether(String partitioning) throws Exception {
    Iterator<?> records = exchange(partitioning, 3, 1);
    assertEquals(Optional.empty(), splitter.install(records, TYPES, false));
    int released = count("com.nvidia.spark.rapids.Fakes", "released");
    Tuple2<?, ?>[] pairs = assertInstanceOf(Tuple2[].class, records.next());
    assertEquals(List.of(0, 2), List.of(pairs[0]._2(), pairs[1]._2()));
    BatchSplitter.WholeBatch whole =
        assertInstanceOf(BatchSplitter.WholeBatch.class, pairs[0]._1());
    assertEquals(
        List.of(new SplitBatch.Table(0, 2, 0, 16), new SplitBatch.Table(2, 3, 16, 24)),
        whole.tables().tables());
    assertEquals(2, whole.numRows());
    assertEquals(3, assertInstanceOf(BatchSplitter.CountedBatch.class, pairs[1]._1()).numRows());
    assertEquals(released + 1, count("com.nvidia.spark.rapids.Fakes", "released"));
    assertEquals(0, count("ai.rapids.cudf.ColumnVector", "open"), "columns are still open");
    assertEquals(1, count("ai.rapids.cudf.MemoryBuffer", "open"), "only the tables' buffer");
    for (Tuple2<?, ?> pair : pairs) {
      ((ColumnarBatch) pair._1()).close();
      whole.close();
    }
    assertEquals(0, count("ai.rapids.cudf.MemoryBuffer", "open"));
  }

  @Test
  void singlePartitionNeedsNoOrder() throws Exception {
    Iterator<?> records = exchange("OtherPartitioning", 1, 1);
    assertEquals(Optional.empty(), splitter.install(records, TYPES, false));
    Tuple2<?, ?>[] pairs = assertInstanceOf(Tuple2[].class, records.next());
    assertEquals(1, pairs.length);
    try (BatchSplitter.WholeBatch whole = (BatchSplitter.WholeBatch) pairs[0]._1()) {
      assertEquals(List.of(new SplitBatch.Table(0, 5, 0, 40)), whole.tables().tables());
    }
    assertEquals(0, count("ai.rapids.cudf.MemoryBuffer", "open"));
    assertEquals(0, count("ai.rapids.cudf.ColumnVector", "open"));
  }

  @Test
  void rapidsSlicesBatchesWithoutColumns() throws Exception {
    Iterator<?> records = exchange("GpuHashPartitioningBase", 3, 0);
    assertEquals(Optional.empty(), splitter.install(records, TYPES, false));
    assertEquals("sliced into 3", records.next());
  }

  @Test
  void functionIsReplacedOnce() throws Exception {
    Iterator<?> records = exchange("GpuHashPartitioningBase", 3, 1);
    assertEquals(Optional.empty(), splitter.install(records, TYPES, false));
    assertEquals(Optional.empty(), splitter.install(records, TYPES, false));
    Tuple2<?, ?>[] pairs = (Tuple2<?, ?>[]) records.next();
    ((ColumnarBatch) pairs[0]._1()).close();
  }

  @Test
  void saysWhyItCannotBeUsed() throws Exception {
    Iterator<?> records = exchange("OtherPartitioning", 3, 0);
    assertEquals(
        Optional.of("it partitions with com.nvidia.spark.rapids.OtherPartitioning"),
        splitter.install(records, TYPES, false));
    assertEquals("sliced into 3", records.next());
    String reason =
        splitter.install(scala.collection.Iterator$.MODULE$.empty(), TYPES, false).orElseThrow();
    assertTrue(reason.startsWith("its exchange uses scala.collection."), reason);
  }

  private static Iterator<?> exchange(String partitioning, int partitions, int columns)
      throws ReflectiveOperationException {
    return (Iterator<?>)
        loader
            .loadClass("com.nvidia.spark.rapids.Fakes")
            .getMethod("exchange", String.class, int.class, int.class)
            .invoke(null, partitioning, partitions, columns);
  }

  private static int count(String type, String field) throws ReflectiveOperationException {
    return loader.loadClass(type).getField(field).getInt(null);
  }
}
