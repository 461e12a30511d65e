// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.record.Recording;
import io.symshuffle.it.record.TaskRecord;
import io.symshuffle.it.wait.Await;
import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkException;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.TaskCompletionListener;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Function1;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * Spark repeats stages, completely or partly, while tasks of earlier attempts still run: each row
 * counts exactly once.
 */
@SparkTest(cores = 2, conf = "spark.symshuffle.heap.size=64m")
class StageAttemptsIT {
  private static final int ROWS = 12_000;
  private static final int MAPS = 12;
  private static final int PARTITIONS = 4;
  private static final List<Long> IDS = LongStream.range(0, ROWS).boxed().toList();

  @TempDir private Path folder;

  @Test
  void barrierStageThatLosesAnExecutorIsRepeatedAsAWhole(SparkCluster cluster) {
    JavaRDD<Row> shuffled = shuffled(cluster.session());
    assertEquals(ROWS, shuffled.count());
    String marks = folder.toString();
    JavaRDD<Row> together =
        shuffled
            .rdd()
            .barrier()
            .mapPartitions(
                (Function1<Iterator<Row>, Iterator<Row>> & Serializable)
                    rows -> together(rows, Path.of(marks)),
                false,
                ClassTag$.MODULE$.<Row>apply(Row.class))
            .toJavaRDD();
    Recording<List<Long>> recording =
        cluster.record(
            () -> {
              SparkSession session = cluster.session();
              CompletableFuture<List<Long>> ids =
                  CompletableFuture.supplyAsync(() -> ids(shuffledAgain(session, together)));
              Await.until(
                  "the tasks of the stage have met", () -> Files.exists(folder.resolve("met")));
              cluster.kill(cluster.executors().getLast().executorId());
              return ids.get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
            });
    assertEquals(IDS, recording.value());
    assertTrue(recording.tasks().stream().anyMatch(task -> task.stageAttempt() > 0));
    assertEquals(List.of(), recording.fetchFailures());
    // Only the barrier stage wrote again: its input was still there.
    assertEquals(ROWS, recording.totals().recordsWritten());
  }

  /** Reads, waits for the other tasks and, in the first attempt of the stage, for its end. */
  private static Iterator<Row> together(Iterator<Row> rows, Path marks) {
    List<Row> copies = new ArrayList<>();
    while (rows.hasNext()) {
      copies.add(rows.next());
    }
    BarrierTaskContext task = BarrierTaskContext.get();
    task.barrier();
    if (task.stageAttemptNumber() == 0) {
      mark(marks.resolve("met"));
      pause(Await.LIMIT);
    }
    task.barrier();
    return CollectionConverters.asScala(copies.iterator());
  }

  @Test
  @Tag("full")
  void manyDamagedBlocksAreRecomputed(SparkCluster cluster) {
    JavaRDD<Row> shuffled = shuffled(cluster.session());
    assertEquals(ROWS, shuffled.count());
    damageEachMap(cluster);
    assertRecomputed(cluster, shuffled);
  }

  @Test
  @Tag("long")
  void damagedBlocksOfDeadExecutorsAreRecomputed(SparkCluster cluster) {
    JavaRDD<Row> shuffled = shuffled(cluster.session());
    assertEquals(ROWS, shuffled.count());
    damageEachMap(cluster);
    cluster.executors().forEach(executor -> cluster.kill(executor.executorId()));
    cluster.awaitExecutors();
    assertRecomputed(cluster, shuffled);
  }

  /** Without Spark's knowledge: each attempt of the stage finds only some of the lost heaps. */
  @Test
  @Tag("long")
  @SparkTest(executors = 5, conf = "spark.symshuffle.heap.size=64m")
  void heapsOfFourOfFiveExecutorsLostAtOnceAreRecomputed(SparkCluster cluster) {
    JavaRDD<Row> shuffled = shuffled(cluster.session(), 10);
    assertEquals(ROWS, shuffled.count());
    List<Path> heaps = List.copyOf(cluster.mappedHeapFiles());
    assertEquals(5, heaps.size(), heaps::toString);
    assertTrue(HeapCorruption.overwrite(heaps.subList(1, 5), "row number ") >= ROWS / 2);
    Recording<List<Long>> recording = cluster.record(() -> ids(shuffled));
    assertEquals(IDS, recording.value());
    assertFalse(recording.fetchFailures().isEmpty());
    cluster.discard();
  }

  /** Two blocks of each map output, on both executors. */
  private static void damageEachMap(SparkCluster cluster) {
    List<String> texts = new ArrayList<>();
    for (int map = 0; map < MAPS; map++) {
      for (int row : List.of(321, 654)) {
        texts.add("row number %d ".formatted(map * (ROWS / MAPS) + row));
      }
    }
    int found = HeapCorruption.overwrite(cluster.mappedHeapFiles(), texts.toArray(String[]::new));
    assertTrue(found >= texts.size(), () -> found + " rows damaged");
  }

  /** Spark needs no more stage attempts than it allows. */
  private static void assertRecomputed(SparkCluster cluster, JavaRDD<Row> shuffled) {
    Recording<List<Long>> recording = cluster.record(() -> ids(shuffled));
    assertEquals(IDS, recording.value());
    assertFalse(recording.fetchFailures().isEmpty());
    assertTrue(recording.totals().recordsWritten() >= ROWS, recording.totals()::toString);
  }

  @Test
  @Tag("long")
  @SparkTest(
      conf = {"spark.symshuffle.heap.size=64m", "spark.symshuffle.test.faults=seed=5,write.bit=1"})
  void blocksDamagedOnEveryWriteFailTheJob(SparkCluster cluster) {
    JavaRDD<Row> shuffled = shuffled(cluster.session());
    SparkException end = assertThrows(SparkException.class, shuffled::count);
    assertTrue(
        end.getMessage().contains("has failed the maximum allowable number of times: 4"),
        end.getMessage());
    assertTrue(end.getMessage().contains("has checksum"), end.getMessage());
  }

  @Test
  @Tag("long")
  void stragglersOfAFailedAttemptMayCommitAfterTheNextAttempt(SparkCluster cluster) {
    SparkSession session = cluster.session();
    JavaRDD<Row> first = shuffled(session);
    Map<Integer, Long> samples = new HashMap<>();
    first
        .map(row -> List.of((long) TaskContext.getPartitionId(), row.getLong(0)))
        .collect()
        .forEach(each -> samples.putIfAbsent(each.getFirst().intValue(), each.getLast()));
    assertEquals(PARTITIONS, samples.size());
    long damaged = samples.remove(0);
    String text = "row number %d ".formatted(damaged);
    assertTrue(HeapCorruption.overwrite(cluster.mappedHeapFiles(), text) >= 1);

    Set<Long> stragglers = new HashSet<>(samples.values());
    String marks = folder.toString();
    JavaRDD<Row> straggling = first.map(row -> straggle(row, stragglers, Path.of(marks)));
    int count = stragglers.size();
    Recording<List<Long>> recording =
        cluster.record(
            () ->
                ids(
                    shuffledAgain(session, straggling)
                        .map(row -> afterStragglers(row, count, Path.of(marks)))));

    assertEquals(IDS, recording.value());
    assertFalse(recording.fetchFailures().isEmpty());
    List<TaskRecord> tasks = recording.tasks();
    int stage = recording.fetchFailures().getFirst().stageId();
    for (int partition : samples.keySet()) {
      List<Integer> attempts =
          tasks.stream()
              .filter(task -> task.stageId() == stage && task.partition() == partition)
              .filter(TaskRecord::succeeded)
              .map(TaskRecord::stageAttempt)
              .sorted()
              .toList();
      assertEquals(List.of(0, 1), attempts, "partition " + partition + " of " + tasks);
    }
  }

  /**
   * In the first attempt of a stage, some rows wait until the second attempt has processed them.
   */
  private static Row straggle(Row row, Set<Long> stragglers, Path marks) {
    TaskContext task = TaskContext.get();
    long id = row.getLong(0);
    if (stragglers.contains(id)) {
      Path done = marks.resolve("done-" + id);
      if (task.stageAttemptNumber() == 0) {
        Await.until(done + " is there", () -> Files.exists(done));
        // The driver is notified of the other attempt first.
        pause(Duration.ofMillis(500));
        Path straggled = marks.resolve("straggled-" + id);
        task.addTaskCompletionListener((TaskCompletionListener) ended -> mark(straggled));
      } else {
        task.addTaskCompletionListener((TaskCompletionListener) ended -> mark(done));
      }
    }
    return row;
  }

  /** The job ends after the stragglers, since Spark kills running tasks at its end. */
  private static Row afterStragglers(Row row, int stragglers, Path marks) {
    if (stragglersIn(marks) < stragglers) {
      Await.until(stragglers + " stragglers have ended", () -> stragglersIn(marks) >= stragglers);
      // The driver is notified of them first.
      pause(Duration.ofMillis(500));
    }
    return row;
  }

  private static long stragglersIn(Path marks) {
    try (Stream<Path> files = Files.list(marks)) {
      return files.filter(file -> file.getFileName().toString().startsWith("straggled-")).count();
    } catch (IOException e) {
      throw new UncheckedIOException("listing " + marks, e);
    }
  }

  private static JavaRDD<Row> shuffled(SparkSession session) {
    return shuffled(session, PARTITIONS);
  }

  private static JavaRDD<Row> shuffled(SparkSession session, int partitions) {
    Dataset<Row> rows =
        session
            .range(0, ROWS, 1, MAPS)
            .selectExpr("id", "id % 101 k", "concat('row number ', id, ' ') text");
    return rows.repartition(partitions, col("k")).javaRDD();
  }

  private static JavaRDD<Row> shuffledAgain(SparkSession session, JavaRDD<Row> rows) {
    StructType schema =
        new StructType()
            .add("id", DataTypes.LongType)
            .add("k", DataTypes.LongType)
            .add("text", DataTypes.StringType);
    return session.createDataFrame(rows, schema).repartition(3, col("k")).javaRDD();
  }

  private static List<Long> ids(JavaRDD<Row> rows) {
    return rows.map(row -> row.<Long>getAs("id")).collect().stream().sorted().toList();
  }

  private static void mark(Path file) {
    try {
      Files.createFile(file);
    } catch (FileAlreadyExistsException ignored) {
      // Another task was first.
    } catch (IOException e) {
      throw new UncheckedIOException("marking " + file, e);
    }
  }

  /** Ends immediately when Spark kills the task, which may happen without an interrupt. */
  private static void pause(Duration time) {
    TaskContext task = TaskContext.get();
    Await.holdsWithin(time, task::isInterrupted);
    task.killTaskIfInterrupted();
  }
}
