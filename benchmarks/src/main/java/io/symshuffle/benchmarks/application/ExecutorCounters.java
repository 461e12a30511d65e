// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.Serializable;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.FlatMapFunction;

/**
 * Asks all executors for what their tasks and threads have spent time on: garbage collection, and
 * with SymShuffle the steps of the transfer between hosts.
 */
final class ExecutorCounters {
  private static final int ATTEMPTS = 5;

  private record Answer(String executorId, Map<String, Double> values) implements Serializable {}

  private ExecutorCounters() {}

  /**
   * Sums the counters of all executors.
   *
   * @return seconds and bytes by name
   * @throws IllegalStateException if an executor gets no task
   */
  static Map<String, Double> read(SparkContext context) {
    int executors = BenchmarkApplication.executors(context);
    // Spark offers tasks to all executors in turn.
    int questions = Math.max(1, Math.max(context.defaultParallelism(), 2 * executors));
    boolean ours =
        SparkEnv.get().shuffleManager().getClass().getName().startsWith("io.symshuffle.");
    FlatMapFunction<Iterator<Integer>, Answer> question =
        ours ? OfSymShuffle::ask : ExecutorCounters::ask;
    Map<String, Map<String, Double>> answers = new HashMap<>();
    for (int attempt = 0; attempt < ATTEMPTS && answers.size() < executors; attempt++) {
      JavaSparkContext.fromSparkContext(context)
          .parallelize(Collections.nCopies(questions, 0), questions)
          .mapPartitions(question)
          .collect()
          .forEach(answer -> answers.put(answer.executorId(), answer.values()));
    }
    if (answers.size() < executors) {
      throw new IllegalStateException(
          "only the executors %s of %d ran a task in %d jobs of %d tasks"
              .formatted(answers.keySet(), executors, ATTEMPTS, questions));
    }
    Map<String, Double> sums = new TreeMap<>();
    answers
        .values()
        .forEach(values -> values.forEach((name, value) -> sums.merge(name, value, Double::sum)));
    return sums;
  }

  private static Iterator<Answer> ask(Iterator<Integer> ignored) {
    return answer(new TreeMap<>());
  }

  private static Iterator<Answer> answer(Map<String, Double> values) {
    long millis = 0;
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      millis += Math.max(0, collector.getCollectionTime());
    }
    values.put("garbage.collection.seconds", millis / 1e3);
    return List.of(new Answer(SparkEnv.get().executorId(), values)).iterator();
  }

  /**
   * Names classes that executors with other shuffle managers do not have, which would fail to load
   * the class around it.
   */
  private static final class OfSymShuffle {
    static Iterator<Answer> ask(Iterator<Integer> ignored) {
      Map<String, Double> values = new TreeMap<>();
      ShuffleRuntime.current().ifPresent(runtime -> add(runtime.stats(), values));
      return answer(values);
    }

    private static void add(ShuffleStats stats, Map<String, Double> values) {
      for (ShuffleCounter counter : ShuffleCounter.values()) {
        values.put(counter.metric(), (double) stats.sum(counter));
      }
    }
  }
}
