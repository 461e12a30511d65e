// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterKind;
import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.result.QueryRun;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF2;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A query joins a large table with a middle one and then with a small one, whose last exchange is
 * submitted when the tasks of the large one wait already.
 */
@Tag("full")
class StageOrderIT {
  private static final int LARGE_TASKS = 40;

  /** Partitions of exchanges, of which the small table's is read first. */
  private static final int PARTITIONS = 7;

  /** Sleeps for some milliseconds at each thousandth row: once in each task that it is used in. */
  private static final UDF2<Long, Integer, Long> PAUSE =
      (id, millis) -> {
        if (id % 1000 == 0) {
          Thread.sleep(millis);
        }
        return id;
      };

  @Test
  @SparkTest(cluster = ClusterKind.LOCAL)
  void smallTableEndsFirstAndLargeOneIsShuffledOnce(SparkCluster cluster, ResultComparer comparer) {
    Starts starts = new Starts();
    QueryRun run = run(cluster, comparer, starts);
    assertTrue(starts.largeTasks.get() < LARGE_TASKS, starts.largeTasks + " tasks came first");
    // One for each table, and two for the small one. Spark's order has one more for the large one.
    List<?> exchanges = run.plan().nodes(ShuffleExchangeExec.class);
    assertEquals(4, exchanges.size(), () -> run.plan().toString());
  }

  @Test
  @SparkTest(
      cluster = ClusterKind.LOCAL,
      conf = "spark.symshuffle.scheduler.smallStagesFirst=false")
  void smallTableWaitsIfTheOrderIsSparks(SparkCluster cluster, ResultComparer comparer) {
    Starts starts = new Starts();
    run(cluster, comparer, starts);
    assertEquals(LARGE_TASKS, starts.largeTasks.get());
  }

  private static QueryRun run(SparkCluster cluster, ResultComparer comparer, Starts starts) {
    cluster.context().addSparkListener(starts);
    try {
      return comparer.compare(StageOrderIT::query).ours();
    } finally {
      cluster.context().removeSparkListener(starts);
    }
  }

  private static Dataset<Row> query(SparkSession session) {
    session.conf().set("spark.sql.autoBroadcastJoinThreshold", "-1");
    session.conf().set("spark.sql.adaptive.autoBroadcastJoinThreshold", "100k");
    session.conf().set("spark.sql.adaptive.coalescePartitions.enabled", "false");
    session.conf().set("spark.sql.shuffle.partitions", PARTITIONS);
    session.udf().register("pause", PAUSE, DataTypes.LongType);
    return session.sql(
        """
        SELECT large.a, middle.c, small.b
          FROM (SELECT pause(id, 100) a, id %% 100 b FROM range(0, 40000, 1, %d)) large
          JOIN (SELECT id a, id * 3 c FROM range(0, 40000, 1, 2)) middle ON large.a = middle.a
          JOIN (SELECT max(pause(id, 1000)) %% 100 b
                  FROM range(0, 2000, 1, 2) GROUP BY id %% 50) small ON large.b = small.b\
        """
            .formatted(LARGE_TASKS));
  }

  /** How many tasks of the large table started before any that reads an exchange. */
  private static final class Starts extends SparkListener {
    private final Set<Integer> large = new HashSet<>();
    private final Set<Integer> readers = new HashSet<>();
    private boolean ended;
    private final AtomicInteger largeTasks = new AtomicInteger();

    @Override
    public void onStageSubmitted(SparkListenerStageSubmitted event) {
      int tasks = event.stageInfo().numTasks();
      if (tasks == LARGE_TASKS) {
        large.add(event.stageInfo().stageId());
      } else if (tasks == PARTITIONS) {
        readers.add(event.stageInfo().stageId());
      }
    }

    @Override
    public void onTaskStart(SparkListenerTaskStart event) {
      ended |= readers.contains(event.stageId());
      if (!ended && large.contains(event.stageId())) {
        largeTasks.incrementAndGet();
      }
    }
  }
}
