// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.workload.Suite;
import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.result.Comparison;
import io.symshuffle.it.result.ExecutedPlan;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.adaptive.AQEShuffleReadExec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Adaptive execution plans queries as it does with sort shuffle. */
@Tag("full")
abstract class PlansSuite {
  private static final double SCALE = 0.01;

  @Test
  void coalescesPartitionsOfTpchAsWithSortShuffle(SparkSession session, ResultComparer comparer) {
    List<String> queries = List.of("q3", "q4");
    for (String table : Suite.TPCH.tablesOf(queries)) {
      createView(session, table);
    }
    // With so few rows, code generation would take most of the time.
    session.conf().set("spark.sql.codegen.wholeStage", false);
    session.conf().set("spark.sql.codegen.factoryMode", "NO_CODEGEN");
    session.conf().set("spark.sql.shuffle.partitions", 50);
    session.conf().set("spark.sql.autoBroadcastJoinThreshold", -1);
    session.conf().set("spark.sql.adaptive.coalescePartitions.parallelismFirst", false);
    session.conf().set("spark.sql.adaptive.coalescePartitions.minPartitionSize", "1k");
    session.conf().set("spark.sql.adaptive.advisoryPartitionSizeInBytes", "32k");
    for (String query : queries) {
      Comparison comparison =
          comparer.withTolerance(1e-9).compare(Suite.TPCH.queries().text(query));
      List<AQEShuffleReadExec> ours = reads(comparison.ours().plan());
      List<AQEShuffleReadExec> sort = reads(comparison.sparks().plan());
      assertFalse(ours.isEmpty());
      assertEquals(ours.size(), sort.size(), query);
      for (int i = 0; i < ours.size(); i++) {
        int tasks = ours.get(i).partitionSpecs().size();
        int expected = sort.get(i).partitionSpecs().size();
        // Spark rounds the sizes of blocks to 10 %, so a partition at a limit may differ.
        assertTrue(
            Math.abs(tasks - expected) <= 1 + expected / 20,
            "%s: %d tasks instead of %d".formatted(query, tasks, expected));
        assertEquals(ours.get(i).hasSkewedPartition(), sort.get(i).hasSkewedPartition(), query);
        assertEquals(ours.get(i).isLocalRead(), sort.get(i).isLocalRead(), query);
      }
    }
  }

  /**
   * Rows that compress well, hardly, better with the frequent key, or worse toward the end of each
   * map task; sizes of a task.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "repeat(string(id), 20)                                   | 40k",
        "sha2(string(id), 512)                                    | 100k",
        "sha2(string(id), 512)                                    | 300k",
        "if(id % 10 < 8, repeat('x', 200), sha2(string(id), 512)) | 50k",
        "if(id % 10 < 8, sha2(string(id), 512), repeat('x', 200)) | 200k",
        "if(id % 3334 < 600, repeat('x', 100), sha2(string(id), 512)) | 250k",
        "substr(concat(repeat('x', 120), sha2(string(id), 512)), int(id % 3334 / 28), 120) | 150k"
      })
  void skewedJoinIsSplitIntoAsManyTasksAsWithSortShuffle(
      String text, String size, SparkSession session, ResultComparer comparer) {
    AdaptiveSuite.createTables(session);
    Comparison comparison =
        comparer.compare(
            s -> {
              s.conf().set("spark.sql.shuffle.partitions", 5);
              s.conf().set("spark.sql.adaptive.advisoryPartitionSizeInBytes", size);
              s.conf().set("spark.sql.adaptive.skewJoin.skewedPartitionThresholdInBytes", size);
              s.conf().set("spark.sql.adaptive.skewJoin.skewedPartitionFactor", "1.5");
              s.sql("SELECT id, k, %s text FROM skewed".formatted(text))
                  .createOrReplaceTempView("texts");
              return s.sql("SELECT f.id, f.text, l.label FROM texts f JOIN labels l ON f.k = l.k");
            });
    ExecutedPlan plan = comparison.ours().plan();
    assertTrue(plan.readsSkewed(), plan.toString());
    assertEquals(comparison.sparks().plan().readTasks(), plan.readTasks(), plan.toString());
  }

  private static List<AQEShuffleReadExec> reads(ExecutedPlan plan) {
    return plan.nodes(AQEShuffleReadExec.class);
  }

  private static void createView(SparkSession session, String table) {
    List<InternalRow> rows = new ArrayList<>();
    Suite.TPCH.tables().rows(table, SCALE, 1, 1).forEachRemaining(rows::add);
    ((org.apache.spark.sql.classic.SparkSession) session)
        .internalCreateDataFrame(
            new JavaSparkContext(session.sparkContext()).parallelize(rows).rdd(),
            Suite.TPCH.tables().schema(table),
            false)
        .createOrReplaceTempView(table);
  }
}
