// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.result.Comparison;
import io.symshuffle.it.result.ExecutedPlan;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.exchange.ReusedExchangeExec;
import org.apache.spark.sql.execution.joins.BroadcastHashJoinExec;
import org.apache.spark.sql.execution.joins.SortMergeJoinExec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Adaptive execution sees actual sizes and reads any part of a shuffle any number of times. */
public abstract class AdaptiveSuite {
  @BeforeEach
  void makeTables(SparkSession session) {
    createTables(session);
  }

  static void createTables(SparkSession session) {
    // Most rows have key 1: a skewed partition.
    session
        .sql(
            """
            SELECT id, if(id % 10 < 8, 1, id % 100) k, repeat(string(id), 20) text
            FROM range(0, 20000, 1, 6)\
            """)
        .createOrReplaceTempView("skewed");
    session
        .sql("SELECT id k, concat('label ', id) label FROM range(0, 100, 1, 3)")
        .createOrReplaceTempView("labels");
  }

  @Test
  void smallPartitionsAreCoalesced(ResultComparer comparer) {
    Comparison comparison =
        comparer.compare(
            s -> {
              s.conf().set("spark.sql.shuffle.partitions", 50);
              return s.sql("SELECT k, count(*), max(text) FROM skewed GROUP BY k");
            });
    assertTrue(comparison.ours().plan().readsCoalesced(), comparison.ours().plan().toString());
  }

  @Test
  void skewedPartitionIsSplit(ResultComparer comparer) {
    Comparison comparison =
        comparer.compare(
            s -> {
              s.conf().set("spark.sql.shuffle.partitions", 5);
              s.conf().set("spark.sql.adaptive.advisoryPartitionSizeInBytes", "64k");
              s.conf().set("spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", "100k");
              s.conf().set("spark.sql.adaptive.skewJoin.skewedPartitionFactor", "2");
              return s.sql("SELECT f.id, f.text, l.label FROM skewed f JOIN labels l ON f.k = l.k");
            });
    ExecutedPlan plan = comparison.ours().plan();
    assertTrue(plan.readsSkewed(), plan.toString());
    assertTrue(
        plan.nodes(SortMergeJoinExec.class).stream().allMatch(SortMergeJoinExec::isSkewJoin),
        plan.toString());
    assertEquals(comparison.sparks().plan().readTasks(), plan.readTasks(), plan.toString());
  }

  @Test
  @Tag("full")
  void rebalanceSplitsLargePartitions(ResultComparer comparer) {
    Comparison comparison =
        comparer.compare(
            s -> {
              s.conf().set("spark.sql.adaptive.advisoryPartitionSizeInBytes", "64k");
              return s.sql("SELECT /*+ REBALANCE(k) */ * FROM skewed");
            });
    assertTrue(comparison.ours().plan().readsSkewed(), comparison.ours().plan().toString());
  }

  @Test
  @Tag("full")
  void joinThatBecomesABroadcastReadsItsShuffleLocally(ResultComparer comparer) {
    Comparison comparison =
        comparer.compare(
            s -> {
              s.conf().set("spark.sql.adaptive.autoBroadcastJoinThreshold", "1m");
              return s.sql(
                  """
                  SELECT f.id, l.label FROM skewed f
                    JOIN (SELECT k, max(label) label FROM labels GROUP BY k) l ON f.k = l.k\
                  """);
            });
    ExecutedPlan plan = comparison.ours().plan();
    assertFalse(plan.nodes(BroadcastHashJoinExec.class).isEmpty(), plan.toString());
    assertTrue(plan.readsLocally(), plan.toString());
  }

  @Test
  @Tag("full")
  void localReadTakesSeveralMapsPerTask(ResultComparer comparer) {
    // With fewer partitions than maps, each task reads several whole map outputs.
    Comparison comparison =
        comparer.compare(
            s -> {
              s.conf().set("spark.sql.shuffle.partitions", 2);
              s.conf().set("spark.sql.adaptive.autoBroadcastJoinThreshold", "1m");
              return s.sql("SELECT f.id, l.label FROM skewed f JOIN labels l ON f.k = l.k");
            });
    assertTrue(comparison.ours().plan().readsLocally(), comparison.ours().plan().toString());
  }

  @Test
  void reusedExchangeIsReadTwice(ResultComparer comparer) {
    Comparison comparison =
        comparer.compare(
            """
            WITH totals AS (SELECT k, count(*) n FROM skewed GROUP BY k)
            SELECT k, n FROM totals UNION ALL SELECT k + 1, n FROM totals\
            """);
    assertFalse(
        comparison.ours().plan().nodes(ReusedExchangeExec.class).isEmpty(),
        comparison.ours().plan().toString());
  }
}
