// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.protocol.SoakRow;
import io.symshuffle.benchmarks.protocol.SoakTask;
import io.symshuffle.benchmarks.workload.SoakQuery;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.SparkStageInfo;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.JavaSparkStatusTracker;
import org.apache.spark.sql.SparkSession;
import scala.jdk.javaapi.CollectionConverters;

/** Executes the requests of the soak. The jobs of each execution have a name in the event log. */
final class SoakRequests {
  private final SparkSession spark;
  private int executions;

  SoakRequests(SparkSession spark) {
    this.spark = spark;
  }

  Reply.Soaked run(Request.Soak soak) {
    executions++;
    spark.sparkContext().setJobGroup(group(), "soak execution " + executions, false);
    try {
      long start = System.nanoTime();
      List<SoakTask> tasks = SoakQuery.run(spark, soak.rows(), soak.tasks(), soak.planted());
      return new Reply.Soaked((System.nanoTime() - start) / 1e9, tasks);
    } finally {
      spark.sparkContext().clearJobGroup();
    }
  }

  Reply.SoakedAgain again(Request.SoakAgain request) {
    Request.Soak soak = request.soak();
    String place = place(soak.tasks(), request.task());
    List<SoakRow> rows =
        SoakQuery.again(
            spark,
            soak.rows(),
            soak.tasks(),
            soak.planted(),
            request.task(),
            request.from(),
            request.to());
    return new Reply.SoakedAgain(place, rows);
  }

  private String group() {
    return "soak-" + executions;
  }

  /** Returns where the task of the last execution ran, from the stages with as many tasks. */
  private String place(int tasks, int task) {
    JavaSparkStatusTracker tracker =
        JavaSparkContext.fromSparkContext(spark.sparkContext()).statusTracker();
    return Arrays.stream(tracker.getJobIdsForGroup(group()))
        .mapToObj(tracker::getJobInfo)
        .filter(Objects::nonNull)
        .flatMapToInt(job -> Arrays.stream(job.stageIds()))
        .distinct()
        .mapToObj(tracker::getStageInfo)
        .filter(stage -> stage != null && stage.numTasks() == tasks)
        .flatMap(stage -> places(stage, task))
        .distinct()
        .collect(Collectors.joining("; "));
  }

  private Stream<String> places(SparkStageInfo stage, int task) {
    return CollectionConverters.asJava(
            spark
                .sparkContext()
                .statusStore()
                .taskList(stage.stageId(), stage.currentAttemptId(), Integer.MAX_VALUE))
        .stream()
        .filter(data -> data.partitionId() == task)
        .map(
            data ->
                "executor %s, task %d, stage %d.%d"
                    .formatted(
                        data.executorId(),
                        data.taskId(),
                        stage.stageId(),
                        stage.currentAttemptId()));
  }
}
