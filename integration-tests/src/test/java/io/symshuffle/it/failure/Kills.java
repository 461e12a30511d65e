// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

import static io.symshuffle.it.failure.NumberedRows.rows;
import static io.symshuffle.it.failure.NumberedRows.sums;
import static org.apache.spark.sql.functions.col;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.failure.NumberedRows.Sums;
import io.symshuffle.it.record.Recording;
import io.symshuffle.it.wait.Await;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Kills one of two executors with SIGKILL at a certain moment of a shuffle. */
public final class Kills {
  private static final int PARTITIONS = 12;

  /**
   * The outcome.
   *
   * @param sums the result of the job
   * @param untilEnd time from the kill to the result
   * @param recomputedMaps number of map tasks that were repeated
   */
  public record Outcome(Sums sums, Duration untilEnd, long recomputedMaps) {}

  private Kills() {}

  /** After three map tasks have ended; with adaptive execution, the map stage is its own job. */
  public static Outcome inTheMapStage(SparkCluster cluster) {
    SparkSession session = session(cluster);
    return during(
        cluster,
        3,
        () -> sums(rows(session, "slow(id) AS id").repartition(PARTITIONS, col("k")).javaRDD()),
        1);
  }

  /** After a job has read all rows, and before another one reads them again. */
  public static Outcome betweenTheStages(SparkCluster cluster) {
    JavaRDD<Row> shuffled =
        rows(session(cluster), "id").repartition(PARTITIONS, col("k")).javaRDD();
    return betweenTheStages(cluster, () -> sums(shuffled));
  }

  /**
   * After an action has read all rows, and before it reads them again.
   *
   * @param action the job
   */
  public static Outcome betweenTheStages(SparkCluster cluster, Callable<Sums> action) {
    Sums first = cluster.record(action).value();
    if (!first.equals(NumberedRows.EXPECTED)) {
      throw new AssertionError("rows are missing before any executor is killed: " + first);
    }
    cluster.kill(cluster.executors().getLast().executorId());
    long killed = System.nanoTime();
    return outcome(cluster.record(action), killed, 0);
  }

  /** After three reduce tasks have ended; the map stage ran when the plan was made. */
  public static Outcome inTheReduceStage(SparkCluster cluster) {
    JavaRDD<Row> shuffled =
        rows(session(cluster), "id")
            .repartition(PARTITIONS, col("k"))
            .selectExpr("slow(id) AS id")
            .javaRDD();
    return during(cluster, 3, () -> sums(shuffled), 0);
  }

  /**
   * After some tasks of a stage have ended.
   *
   * @param tasks how many
   * @param action the job
   * @param shuffles how many shuffles of all rows the action writes
   */
  public static Outcome during(
      SparkCluster cluster, int tasks, Callable<Sums> action, int shuffles) {
    AtomicLong killed = new AtomicLong();
    Recording<Sums> recording =
        cluster.record(
            () -> {
              StartedAction<Sums> job = StartedAction.start(cluster.context(), action);
              job.awaitTasks(tasks);
              cluster.kill(cluster.executors().getLast().executorId());
              killed.set(System.nanoTime());
              return job.result().get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS);
            });
    return outcome(recording, killed.get(), shuffles);
  }

  private static Outcome outcome(Recording<Sums> recording, long killed, int shuffles) {
    long rowsAgain = recording.totals().recordsWritten() - (long) shuffles * NumberedRows.NUMBER;
    return new Outcome(
        recording.value(),
        Duration.ofNanos(System.nanoTime() - killed),
        rowsAgain / (NumberedRows.NUMBER / NumberedRows.TASKS));
  }

  private static SparkSession session(SparkCluster cluster) {
    NumberedRows.registerSlow(cluster.session());
    return cluster.session();
  }
}
