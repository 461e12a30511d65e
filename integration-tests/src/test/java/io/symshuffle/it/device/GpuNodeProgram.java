// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.device;

import io.symshuffle.it.wait.Await;
import java.io.IOException;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * An application for {@code spark-submit} that waits until tasks have run on a number of GPUs, its
 * argument, and prints a line such as {@code executors=8 gpus=8 cores=96}.
 */
public final class GpuNodeProgram {

  private GpuNodeProgram() {}

  /**
   * Runs the application.
   *
   * @param arguments see above
   * @throws IOException if the session does not close
   */
  public static void main(String[] arguments) throws IOException {
    int wanted = Integer.parseInt(arguments[0]);
    try (SparkSession session = SparkSession.builder().getOrCreate();
        JavaSparkContext context = JavaSparkContext.fromSparkContext(session.sparkContext())) {
      Set<String> executors = new TreeSet<>();
      Set<String> gpus = new TreeSet<>();
      Await.until(
          "tasks have run on %d GPUs".formatted(wanted),
          () -> {
            for (String place : places(context)) {
              executors.add(place.substring(0, place.indexOf(' ')));
              gpus.add(place.substring(place.indexOf(' ') + 1));
            }
            return gpus.size() >= wanted && executors.size() >= wanted;
          });
      System.out.printf(
          "executors=%d gpus=%d cores=%d%n",
          executors.size(), gpus.size(), session.sparkContext().defaultParallelism());
    }
  }

  /** Returns the executor and the GPU of each task of a job. */
  private static Iterable<String> places(JavaSparkContext context) {
    int tasks = context.defaultParallelism();
    return context
        .parallelize(Collections.nCopies(tasks, 0), tasks)
        .map(
            any ->
                SparkEnv.get().executorId()
                    + " "
                    + String.join(",", TaskContext.get().resourcesJMap().get("gpu").addresses()))
        .collect();
  }
}
