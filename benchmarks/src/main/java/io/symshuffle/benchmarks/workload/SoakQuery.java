// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.workload;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.apache.spark.sql.functions.expr;

import io.symshuffle.benchmarks.protocol.SoakRow;
import io.symshuffle.benchmarks.protocol.SoakTask;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * The query of the soak: {@link ShuffleCase#GROUPBY} without its exchange, with a result for each
 * task. Every task creates strings and aggregates them, each in its own group. Only one row per
 * task goes through a shuffle. All numbers of the result are known in advance ({@link #expected}).
 */
public final class SoakQuery {
  /** Stands for the number of the planted row if there is none. */
  public static final long NONE = -1;

  /** The string of an ID is {@code s} and the ID modulo this number. */
  private static final int CYCLE = 100_000;

  private static final int MAX_ROWS_AGAIN = 1000;
  private static final HexFormat HEX = HexFormat.of();

  private SoakQuery() {}

  /**
   * Runs the query.
   *
   * @param spark the session
   * @param rows number of rows
   * @param tasks number of tasks
   * @param planted the row that gets a wrong string on purpose, or {@link #NONE}
   * @return what the tasks computed, in order; a task without a result is missing
   */
  public static List<SoakTask> run(SparkSession spark, long rows, int tasks, long planted) {
    return query(spark, rows, tasks, planted).collectAsList().stream()
        .map(SoakQuery::task)
        .sorted(Comparator.comparingInt(SoakTask::task))
        .toList();
  }

  /** Returns the query, with a row per task. */
  static Dataset<Row> query(SparkSession spark, long rows, int tasks, long planted) {
    spark.conf().set("spark.sql.shuffle.partitions", 1);
    String digits =
        IntStream.of(10, 100, 1000, 10_000)
            .mapToObj(power -> " + int(g % " + CYCLE + " >= " + power + ")")
            .reduce("2", String::concat);
    Column[] figures =
        Stream.of(
                "sum(g)",
                "sum(sv)",
                "sum(l)",
                "min(l)",
                "max(l)",
                "count(if(ms is null, 1, null))",
                "count(if(wl, 1, null))",
                "count(if(ws, 1, null))",
                "min(if(wl or ws, g, null))",
                "max(if(wl or ws, g, null))",
                // With hex() instead, RAPIDS would leave the whole aggregation to the CPU.
                "cast(min(if(wl or ws, ms, null)) as binary)",
                "cast(max(if(wl or ws, ms, null)) as binary)")
            .map(figure -> expr(figure))
            .toArray(Column[]::new);
    return groups(spark, 0, rows, tasks, planted)
        .selectExpr(
            "spark_partition_id() as task",
            "g",
            "sv",
            "ms",
            "length(ms) as l",
            "not (length(ms) <=> " + digits + ") as wl",
            "not (ms <=> " + string("g") + ") as ws")
        .groupBy("task")
        .agg(expr("count(*)"), figures);
  }

  /**
   * Computes some rows of one task again: those with the keys, and those whose string is null. The
   * steps are the same, but one task at a time.
   *
   * @param spark the session
   * @param rows number of rows of the whole query
   * @param tasks number of tasks of the whole query
   * @param planted as in {@link #run}
   * @param task number of the task
   * @param from the first key
   * @param to the end of the keys, exclusive
   */
  public static List<SoakRow> again(
      SparkSession spark, long rows, int tasks, long planted, int task, long from, long to) {
    // Spark would apply a condition on the keys alone before the aggregation.
    String kept = "case when ms is null then true else g >= %d and g < %d end".formatted(from, to);
    return groups(spark, start(rows, tasks, task), start(rows, tasks, task + 1), 1, planted)
        .where(kept)
        .selectExpr("g", "length(ms)", "cast(ms as binary)")
        .limit(MAX_ROWS_AGAIN)
        .collectAsList()
        .stream()
        .map(
            row ->
                new SoakRow(
                    row.getLong(0),
                    row.isNullAt(1) ? null : Integer.toHexString(row.getInt(1)),
                    hex(row, 2),
                    HEX.formatHex(("s" + row.getLong(0) % CYCLE).getBytes(US_ASCII))))
        .sorted(Comparator.comparingLong(SoakRow::key))
        .toList();
  }

  /** Returns what the tasks compute if nothing goes wrong. */
  public static List<SoakTask> expected(long rows, int tasks) {
    return IntStream.range(0, tasks)
        .mapToObj(task -> expected(task, start(rows, tasks, task), start(rows, tasks, task + 1)))
        .toList();
  }

  private static SoakTask expected(int task, long start, long end) {
    // Sums of consecutive numbers; the double is exact below 2^53.
    long keys = Math.multiplyExact(start + end - 1, end - start) / 2;
    IntSummaryStatistics lengths =
        LongStream.range(start, Math.min(end, start + CYCLE))
            .mapToInt(SoakQuery::length)
            .summaryStatistics();
    return new SoakTask(
        task,
        end - start,
        keys,
        (double) keys,
        lengthsBelow(end) - lengthsBelow(start),
        lengths.getMin(),
        lengths.getMax(),
        0,
        0,
        0,
        null,
        null,
        null,
        null);
  }

  /** Returns the first ID of a task, as {@code SparkContext.range} divides them. */
  private static long start(long rows, int tasks, int task) {
    return Math.multiplyExact(rows, (long) task) / tasks;
  }

  private static int length(long id) {
    return 1 + Long.toString(id % CYCLE).length();
  }

  /** Returns the sum of the lengths of the strings of all IDs below the end. */
  private static long lengthsBelow(long end) {
    long cycle = LongStream.range(0, CYCLE).map(SoakQuery::length).sum();
    return end / CYCLE * cycle + LongStream.range(0, end % CYCLE).map(SoakQuery::length).sum();
  }

  private static String string(String id) {
    return "concat('s', cast(" + id + " % " + CYCLE + " as string))";
  }

  /** Each row is a group: Spark knows that a range is partitioned by its ID. */
  private static Dataset<Row> groups(
      SparkSession spark, long start, long end, int slices, long planted) {
    String string =
        planted == NONE ? string("id") : "if(id = " + planted + ", 's', " + string("id") + ")";
    return spark
        .range(start, end, 1, slices)
        .selectExpr("id as g", "cast(id as double) as v", string + " as str")
        .groupBy("g")
        .agg(expr("sum(v) as sv"), expr("max(str) as ms"));
  }

  private static SoakTask task(Row row) {
    return new SoakTask(
        row.getInt(0),
        row.getLong(1),
        row.getLong(2),
        row.getDouble(3),
        row.getLong(4),
        row.getAs(5),
        row.getAs(6),
        row.getLong(7),
        row.getLong(8),
        row.getLong(9),
        row.getAs(10),
        row.getAs(11),
        hex(row, 12),
        hex(row, 13));
  }

  private static String hex(Row row, int column) {
    return row.isNullAt(column) ? null : HEX.formatHex(row.getAs(column));
  }
}
