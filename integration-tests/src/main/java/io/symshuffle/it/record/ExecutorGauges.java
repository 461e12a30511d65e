// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.record;

import com.codahale.metrics.Gauge;
import io.symshuffle.it.wait.Await;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.metrics.source.Source;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The metrics of our plugin in Spark's metrics system on the executors, without prefixes, for
 * example {@code heap.used.bytes}.
 *
 * @param byExecutor values by name, by executor ID
 */
public record ExecutorGauges(Map<String, Map<String, Long>> byExecutor) {
  private static final String SOURCE = "plugin.io.symshuffle.SymShufflePlugin";

  public ExecutorGauges {
    byExecutor = Collections.unmodifiableMap(new TreeMap<>(byExecutor));
  }

  /**
   * Collects the metrics with small jobs without a shuffle.
   *
   * @param cores tasks that an executor runs at a time
   */
  public static ExecutorGauges of(SparkContext context, int executors, int cores) {
    JavaSparkContext java = JavaSparkContext.fromSparkContext(context);
    List<Integer> questions = Collections.nCopies(2 * executors * cores, 0);
    Map<String, Map<String, Long>> answers = new HashMap<>();
    Await.until(
        "%d executors have reported their metrics".formatted(executors),
        () -> {
          java.parallelize(questions, questions.size())
              .mapPartitions(ExecutorGauges::answer)
              .collect()
              .forEach(answer -> answers.put(answer._1(), answer._2()));
          return answers.size() >= executors;
        });
    return new ExecutorGauges(answers);
  }

  /**
   * Returns the sum over all executors.
   *
   * @throws IllegalArgumentException if an executor does not have it
   */
  public long sum(String name) {
    long sum = 0;
    for (Map.Entry<String, Map<String, Long>> each : byExecutor.entrySet()) {
      Long value = each.getValue().get(name);
      if (value == null) {
        throw new IllegalArgumentException(
            "executor %s has no metric '%s', only %s"
                .formatted(each.getKey(), name, each.getValue().keySet()));
      }
      sum += value;
    }
    return sum;
  }

  // Uses types that all serializers of Spark support, since an application may use any of them.
  private static Iterator<Tuple2<String, Map<String, Long>>> answer(Iterator<Integer> ignored) {
    Map<String, Long> values = new HashMap<>();
    SparkEnv env = SparkEnv.get();
    for (Source source :
        CollectionConverters.asJava(env.metricsSystem().getSourcesByName(SOURCE))) {
      source.metricRegistry().getGauges().forEach((name, gauge) -> put(values, name, gauge));
      source
          .metricRegistry()
          .getCounters()
          .forEach((name, counter) -> values.put(name, counter.getCount()));
    }
    return List.of(new Tuple2<>(env.executorId(), values)).iterator();
  }

  private static void put(Map<String, Long> values, String name, Gauge<?> gauge) {
    if (gauge.getValue() instanceof Number number) {
      values.put(name, number.longValue());
    }
  }
}
