// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.symshuffle.benchmarks.protocol.SoakRow;
import io.symshuffle.benchmarks.protocol.SoakTask;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The query on Spark's own operators, without faults and with a planted one. */
class SoakQueryTest {
  /** The strings start again from 0 within a task, and the tasks differ in their number of rows. */
  private static final long ROWS = 250_001;

  private static final int TASKS = 3;

  @TempDir private static Path folder;

  private static SparkSession spark;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.local.dir", folder.toString())
            .config("spark.sql.adaptive.enabled", "false")
            .getOrCreate();
  }

  @AfterAll
  static void stop() throws Exception {
    spark.close();
  }

  @Test
  void everyTaskComputesWhatIsExpected() {
    assertEquals(
        SoakQuery.expected(ROWS, TASKS), SoakQuery.run(spark, ROWS, TASKS, SoakQuery.NONE));
  }

  @Test
  void sumsEqualThoseOfTheComparisonQuery() {
    Row sums = ShuffleCase.GROUPBY.dataset(spark, ROWS, TASKS, false).first();
    List<SoakTask> tasks = SoakQuery.expected(ROWS, TASKS);
    assertAll(
        () ->
            assertEquals(
                sums.getDouble(0), tasks.stream().mapToDouble(SoakTask::values).sum(), 1e-3),
        () -> assertEquals(sums.getLong(1), tasks.stream().mapToLong(SoakTask::lengths).sum()),
        () -> assertEquals(sums.getLong(2), tasks.stream().mapToLong(SoakTask::keys).sum()),
        () -> assertEquals(sums.getLong(3), tasks.stream().mapToLong(SoakTask::rows).sum()));
  }

  @Test
  void expectedSumOfTheFullSizeIsKnown() {
    assertEquals(
        2_355_560_000L,
        SoakQuery.expected(400_000_000, 128).stream().mapToLong(SoakTask::lengths).sum());
  }

  @Test
  void onlyTheResultsOfTheTasksAreExchanged() {
    String plan =
        SoakQuery.query(spark, ROWS, TASKS, SoakQuery.NONE)
            .queryExecution()
            .executedPlan()
            .toString();
    assertEquals(2, plan.split("Exchange ", -1).length, plan);
  }

  @Test
  void plantedRowIsFoundInItsTask() {
    long planted = 123_456;
    List<SoakTask> computed = SoakQuery.run(spark, ROWS, TASKS, planted);
    List<SoakTask> expected = SoakQuery.expected(ROWS, TASKS);
    SoakTask task = computed.get(1);
    assertAll(
        () -> assertEquals(expected.get(0), computed.get(0)),
        () -> assertEquals(expected.get(2), computed.get(2)),
        () -> assertNotEquals(expected.get(1), task),
        // "s" in place of "s23456"
        () -> assertEquals(expected.get(1).lengths() - 5, task.lengths()),
        () -> assertEquals(1, task.minLength()),
        () -> assertEquals(0, task.nulls()),
        () -> assertEquals(1, task.wrongLengths()),
        () -> assertEquals(1, task.wrongStrings()),
        () -> assertEquals(planted, task.firstWrong()),
        () -> assertEquals(planted, task.lastWrong()),
        () -> assertEquals("73", task.leastWrong()),
        () -> assertEquals("73", task.greatestWrong()));
  }

  @Test
  void neighborsOfARowAreComputedAgain() {
    long planted = 123_456;
    List<SoakRow> rows = SoakQuery.again(spark, ROWS, TASKS, planted, 1, planted - 2, planted + 3);
    assertAll(
        () ->
            assertEquals(
                LongStream.range(planted - 2, planted + 3).boxed().toList(),
                rows.stream().map(SoakRow::key).toList()),
        () -> assertEquals(new SoakRow(planted, "1", "73", "733233343536"), rows.get(2)),
        () ->
            assertEquals(
                new SoakRow(planted + 1, "6", "733233343537", "733233343537"), rows.get(3)));
  }

  @Test
  void keysOfOtherTasksAreNotComputedAgain() {
    assertEquals(
        List.of(), SoakQuery.again(spark, ROWS, TASKS, SoakQuery.NONE, 0, 200_000, 200_001));
  }

  @Test
  void tasksWithoutWrongRowsNameNone() {
    SoakTask task = SoakQuery.expected(10, 1).getFirst();
    assertAll(
        () -> assertNull(task.firstWrong()),
        () -> assertNull(task.leastWrong()),
        () -> assertEquals(20, task.lengths()));
  }
}
