// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.result;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec;
import org.apache.spark.sql.execution.adaptive.AdaptiveSparkPlanExec;
import org.apache.spark.sql.execution.adaptive.QueryStageExec;
import org.apache.spark.sql.execution.columnar.InMemoryTableScanExec;
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The plan that a Dataset ran, including adaptive stages, subqueries and cached plans. Only valid
 * after an action.
 */
public final class ExecutedPlan {
  private static final String OUR_PACKAGE = "io.symshuffle.";

  private final SparkPlan root;
  private final List<SparkPlan> nodes = new ArrayList<>();

  private ExecutedPlan(SparkPlan root) {
    this.root = root;
    collect(root);
  }

  /** Returns the plan of a Dataset on which an action ran. */
  public static ExecutedPlan of(Dataset<?> dataset) {
    return new ExecutedPlan(
        ((org.apache.spark.sql.classic.Dataset<?>) dataset).queryExecution().executedPlan());
  }

  /** Returns all nodes of a class, parents first. */
  public <T> List<T> nodes(Class<T> type) {
    return nodes.stream().filter(type::isInstance).map(type::cast).toList();
  }

  /** Returns the shuffles, each once. */
  public List<ShuffleExchangeExec> exchanges() {
    return nodes(ShuffleExchangeExec.class).stream().distinct().toList();
  }

  /**
   * Returns the number of shuffles that ran.
   *
   * <p>Shuffles without map tasks do not run: Spark registers them on a thread without the session
   * of the query, and moves no bytes.
   */
  public long exchangesRun() {
    return exchanges().stream().filter(ExecutedPlan::hasMapTasks).count();
  }

  /** Returns the number of shuffles that ran with our manager. */
  public long ourExchanges() {
    return exchanges().stream()
        .filter(ExecutedPlan::hasMapTasks)
        .filter(each -> isOurs(each.shuffleDependency()))
        .count();
  }

  private static boolean hasMapTasks(ShuffleExchangeExec exchange) {
    return exchange.shuffleDependency().rdd().getNumPartitions() > 0;
  }

  /** Returns whether adaptive reads merged small partitions. */
  public boolean readsCoalesced() {
    return nodes(AQEShuffleReadExec.class).stream()
        .anyMatch(AQEShuffleReadExec::hasCoalescedPartition);
  }

  /** Returns whether adaptive reads split a skewed partition by map outputs. */
  public boolean readsSkewed() {
    return nodes(AQEShuffleReadExec.class).stream()
        .anyMatch(AQEShuffleReadExec::hasSkewedPartition);
  }

  /** Returns the number of tasks of each adaptive read. */
  public List<Integer> readTasks() {
    return nodes(AQEShuffleReadExec.class).stream()
        .map(read -> read.partitionSpecs().size())
        .toList();
  }

  /** Returns whether adaptive reads read whole map outputs on their own host. */
  public boolean readsLocally() {
    return nodes(AQEShuffleReadExec.class).stream().anyMatch(AQEShuffleReadExec::isLocalRead);
  }

  /**
   * Returns the sum of an SQL metric over all shuffles.
   *
   * @param name the metric's name, for example {@code dataSize}
   */
  public long exchangeMetric(String name) {
    return exchanges().stream().mapToLong(each -> metric(each, name)).sum();
  }

  /**
   * Returns whether our manager serves the shuffle, not Spark's, which it extends.
   *
   * @param dependency of an exchange or an RDD
   */
  public static boolean isOurs(ShuffleDependency<?, ?, ?> dependency) {
    return dependency.shuffleHandle().getClass().getName().startsWith(OUR_PACKAGE);
  }

  /**
   * Returns the shuffles below an RDD.
   *
   * @param rdd where the search starts
   */
  public static List<ShuffleDependency<?, ?, ?>> shuffles(RDD<?> rdd) {
    List<ShuffleDependency<?, ?, ?>> found = new ArrayList<>();
    CollectionConverters.asJava(rdd.dependencies())
        .forEach(
            dependency -> {
              if (dependency instanceof ShuffleDependency<?, ?, ?> shuffle) {
                found.add(shuffle);
              }
              found.addAll(shuffles(dependency.rdd()));
            });
    return found;
  }

  @Override
  public String toString() {
    return root.toString();
  }

  private static long metric(ShuffleExchangeExec exchange, String name) {
    if (!exchange.metrics().contains(name)) {
      throw new IllegalArgumentException(
          "exchange has no metric '%s': %s".formatted(name, exchange.metrics().keySet()));
    }
    return exchange.metrics().apply(name).value();
  }

  private void collect(SparkPlan node) {
    nodes.add(node);
    switch (node) {
      case AdaptiveSparkPlanExec adaptive -> collect(adaptive.executedPlan());
      case QueryStageExec stage -> collect(stage.plan());
      case ReusedExchangeExec reused -> collect(reused.child());
      case InMemoryTableScanExec cached -> collect(cached.relation().cachedPlan());
      default -> CollectionConverters.asJava(node.children()).forEach(this::collect);
    }
    CollectionConverters.asJava(node.subqueries()).forEach(this::collect);
  }
}
