// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import static io.symshuffle.it.NumberedRows.rows;
import static io.symshuffle.it.NumberedRows.sums;
import static org.apache.spark.sql.functions.col;

import io.symshuffle.it.NumberedRows.Sums;
import io.symshuffle.it.record.Recording;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** One of two executors is killed with SIGKILL at a moment of a shuffle. */
final class Kills {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final int PARTITIONS = 12;

  /**
   * What came of it.
   *
   * @param sums what the job answered
   * @param untilEnd from the kill to the answer
   * @param computedAgain map tasks whose output was there once and had to be made again
   */
  record Outcome(Sums sums, Duration untilEnd, long computedAgain) {}

  private Kills() {}

  /** When three map tasks have ended. With adaptive execution that is a job for itself. */
  static Outcome inTheMapStage(SparkCluster cluster) {
    SparkSession session = session(cluster);
    return during(
        cluster,
        3,
        () -> sums(rows(session, "slow(id) AS id").repartition(PARTITIONS, col("k")).javaRDD()),
        1);
  }

  /** When a job has read all, and before another one that reads it again. */
  static Outcome betweenTheStages(SparkCluster cluster) {
    JavaRDD<Row> shuffled =
        rows(session(cluster), "id").repartition(PARTITIONS, col("k")).javaRDD();
    if (shuffled.count() != NumberedRows.NUMBER) {
      throw new AssertionError("rows are missing before any executor is killed");
    }
    cluster.kill(cluster.executors().getLast().executorId());
    long killed = System.nanoTime();
    Recording<Sums> recording = cluster.record(() -> sums(shuffled));
    return outcome(recording, killed, 0);
  }

  /** When three reduce tasks have ended; the map stage has run as the plan was made. */
  static Outcome inTheReduceStage(SparkCluster cluster) {
    JavaRDD<Row> shuffled =
        rows(session(cluster), "id")
            .repartition(PARTITIONS, col("k"))
            .selectExpr("slow(id) AS id")
            .javaRDD();
    return during(cluster, 3, () -> sums(shuffled), 0);
  }

  /**
   * When so many tasks of a stage have ended.
   *
   * @param shuffles how many the action writes, of all rows each
   */
  static Outcome during(SparkCluster cluster, int tasks, Callable<Sums> action, int shuffles) {
    AtomicLong killed = new AtomicLong();
    Recording<Sums> recording =
        cluster.record(
            () -> {
              StartedAction<Sums> job = StartedAction.start(cluster.context(), action);
              job.awaitTasks(tasks, LIMIT);
              cluster.kill(cluster.executors().getLast().executorId());
              killed.set(System.nanoTime());
              return job.result().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
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
