// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.failure.NumberedRows;
import io.symshuffle.it.record.Recording;
import io.symshuffle.shuffle.table.FakeEngine;
import io.symshuffle.shuffle.table.TableEngines;
import io.symshuffle.shuffle.table.TablePartitions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Spliterators;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.spark.Dependency;
import org.apache.spark.Partition;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.rdd.ShuffledRDD;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.Product2;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * A shuffle of the fake engine's tables, which contain numbered rows. The reader of a table
 * computes its rows again and compares each byte. The numbers of the rows reveal lost and duplicate
 * tables.
 */
final class NumberedTables {
  /** Number of rows, as of {@link NumberedRows}. */
  static final int NUMBER = NumberedRows.NUMBER;

  /** Number of tasks that create them. */
  static final int MAPS = NumberedRows.TASKS;

  static final int PARTITIONS = 12;

  /** Each map task creates as many batches, with one table for each partition. */
  private static final int ROUNDS = 2;

  private static final int ROWS_OF_MAP = NUMBER / MAPS;

  private final ShuffleDependency<Integer, ColumnarBatch, ColumnarBatch> shuffle;
  private final SparkContext context;
  private final int longs;

  /**
   * What one reduce task reads.
   *
   * @param index number of the task
   * @param firstMap number of the first map task
   * @param endMap number after the last map task
   * @param firstPartition number of the first partition
   * @param endPartition number after the last partition
   */
  record Range(int index, int firstMap, int endMap, int firstPartition, int endPartition)
      implements Partition {}

  private NumberedTables(
      ShuffleDependency<Integer, ColumnarBatch, ColumnarBatch> shuffle,
      SparkContext context,
      int longs) {
    this.shuffle = shuffle;
    this.context = context;
    this.longs = longs;
  }

  /** Returns tables with rows of 32 bytes. */
  static NumberedTables of(SparkContext context) {
    return of(context, 4, false);
  }

  /**
   * Returns tables; the shuffle is written when they are read first.
   *
   * @param longs 8-byte words of a row
   * @param slow whether each map task takes 0.5 s
   */
  static NumberedTables of(SparkContext context, int longs, boolean slow) {
    List<Integer> maps = IntStream.range(0, MAPS).boxed().toList();
    RDD<Tuple2<Integer, ColumnarBatch>> tables =
        JavaSparkContext.fromSparkContext(context)
            .parallelize(maps, MAPS)
            .flatMap(map -> tablesOf(map, longs, slow))
            .rdd();
    ShuffledRDD<Integer, ColumnarBatch, ColumnarBatch> shuffled =
        new ShuffledRDD<>(
            tables,
            new TablePartitions(PARTITIONS),
            tag(Integer.class),
            tag(ColumnarBatch.class),
            tag(ColumnarBatch.class));
    @SuppressWarnings("unchecked") // a shuffled RDD has one dependency, of these types
    ShuffleDependency<Integer, ColumnarBatch, ColumnarBatch> shuffle =
        (ShuffleDependency<Integer, ColumnarBatch, ColumnarBatch>) shuffled.dependencies().head();
    return new NumberedTables(shuffle, context, longs);
  }

  private static <T> ClassTag<T> tag(Class<T> type) {
    return ClassTag$.MODULE$.apply(type);
  }

  private static Iterator<Tuple2<Integer, ColumnarBatch>> tablesOf(
      int map, int longs, boolean slow) {
    return IntStream.range(0, ROUNDS * PARTITIONS)
        .mapToObj(
            number -> {
              int partition = number % PARTITIONS;
              long[] ids = ids(map, number / PARTITIONS, partition);
              if (slow) {
                LongStream.of(ids).forEach(NumberedTables::slow);
              }
              byte[] bytes = bytes(map, number / PARTITIONS, partition, ids, longs);
              FakeEngine engine = (FakeEngine) TableEngines.require();
              return new Tuple2<>(partition, engine.batch(partition, bytes));
            })
        .iterator();
  }

  private static long slow(long id) {
    try {
      return NumberedRows.slow(id);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the task was canceled", e);
    }
  }

  /** The numbers of a table's rows. */
  private static long[] ids(int map, int round, int partition) {
    return LongStream.range((long) map * ROWS_OF_MAP, (long) (map + 1) * ROWS_OF_MAP)
        .filter(id -> id % ROUNDS == round && partitionOf(id) == partition)
        .toArray();
  }

  private static int partitionOf(long id) {
    return (int) (id / ROUNDS % 101 % PARTITIONS);
  }

  /** A description of the table, and its rows. */
  private static byte[] bytes(int map, int round, int partition, long[] ids, int longs) {
    ByteBuffer bytes =
        ByteBuffer.allocate(3 * Integer.BYTES + ids.length * longs * Long.BYTES)
            .putInt(map)
            .putInt(round)
            .putInt(partition);
    for (long id : ids) {
      bytes.putLong(id);
      for (int i = 1; i < longs; i++) {
        bytes.putLong((id * longs + i) * 0x9E3779B97F4A7C15L);
      }
    }
    return bytes.array();
  }

  /** The numbers of all rows, with a task for each partition. */
  JavaRDD<Long> read() {
    return read(
        IntStream.range(0, PARTITIONS)
            .mapToObj(p -> new Range(p, 0, Integer.MAX_VALUE, p, p + 1))
            .toList());
  }

  /** The numbers of the rows in ranges, as adaptive execution asks for them. */
  JavaRDD<Long> read(List<Range> ranges) {
    return new Read(context, shuffle, longs, ranges.toArray(new Range[0])).toJavaRDD();
  }

  /** As {@link #read()}; each task takes 0.5 s. */
  JavaRDD<Long> readSlowly() {
    return read().map(NumberedTables::slow);
  }

  /** Reads all rows. */
  NumberedRows.Sums sums() {
    return NumberedRows.sumsOf(read().collect());
  }

  /** Checks that each row is read once, and that nothing is written for that again. */
  void assertReadWithoutRecomputation(SparkCluster cluster) {
    Recording<NumberedRows.Sums> recording = cluster.record(this::sums);
    assertEquals(NumberedRows.EXPECTED, recording.value());
    assertEquals(List.of(), recording.fetchFailures());
    assertEquals(0, recording.totals().recordsWritten());
    assertEquals(1, recording.stages().size());
  }

  /** The numbers of the rows in a table; throws if any byte is wrong or the table is another's. */
  private static List<Long> check(byte[] data, int longs, Range range) {
    ByteBuffer fields = ByteBuffer.wrap(data);
    int map = fields.getInt();
    int round = fields.getInt();
    int partition = fields.getInt();
    if (map < range.firstMap
        || map >= range.endMap
        || partition < range.firstPartition
        || partition >= range.endPartition) {
      throw new IllegalStateException(
          "a table of partition %d of map task %d is outside of %s"
              .formatted(partition, map, range));
    }
    long[] ids = ids(map, round, partition);
    int wrong = Arrays.mismatch(data, bytes(map, round, partition, ids, longs));
    if (wrong >= 0) {
      throw new IllegalStateException(
          "the table of partition %d and round %d of map task %d differs at byte %d of %d"
              .formatted(partition, round, map, wrong, data.length));
    }
    return LongStream.of(ids).boxed().toList();
  }

  /** The reduce stage. */
  private static final class Read extends RDD<Long> {
    private static final long serialVersionUID = 1L;

    private final ShuffleDependency<Integer, ColumnarBatch, ColumnarBatch> shuffle;
    private final int longs;
    private final Range[] ranges;

    Read(
        SparkContext context,
        ShuffleDependency<Integer, ColumnarBatch, ColumnarBatch> shuffle,
        int longs,
        Range[] ranges) {
      super(
          context,
          CollectionConverters.asScala(Collections.<Dependency<?>>singletonList(shuffle)).toSeq(),
          tag(Long.class));
      this.shuffle = shuffle;
      this.longs = longs;
      this.ranges = ranges;
    }

    @Override
    public Partition[] getPartitions() {
      return ranges.clone();
    }

    @Override
    public scala.collection.Iterator<Long> compute(Partition partition, TaskContext task) {
      Range range = (Range) partition;
      Iterator<Product2<Integer, ColumnarBatch>> batches =
          CollectionConverters.asJava(
              SparkEnv.get()
                  .shuffleManager()
                  .<Integer, ColumnarBatch>getReader(
                      shuffle.shuffleHandle(),
                      range.firstMap,
                      range.endMap,
                      range.firstPartition,
                      range.endPartition,
                      task,
                      task.taskMetrics().createTempShuffleReadMetrics())
                  .read());
      Stream<Long> ids =
          StreamSupport.stream(Spliterators.spliteratorUnknownSize(batches, 0), false)
              .flatMap(batch -> check((FakeEngine.AssembledTables) batch._2(), range));
      return CollectionConverters.asScala(ids.iterator());
    }

    private Stream<Long> check(FakeEngine.AssembledTables batch, Range range) {
      try (batch) {
        List<Long> ids = new ArrayList<>();
        for (byte[] each : batch.data()) {
          ids.addAll(NumberedTables.check(each, longs, range));
        }
        return ids.stream();
      }
    }
  }
}
