// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.result.Comparison;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The executors do not read each other's heaps: what they fetch comes in answers. */
@Tag("full")
class AnswersIT {
  /** An application whose executors are as on two hosts. */
  @Target(ElementType.TYPE)
  @Retention(RetentionPolicy.RUNTIME)
  @SparkTest(
      conf = {
        "spark.sql.autoBroadcastJoinThreshold=-1",
        "spark.sql.adaptive.autoBroadcastJoinThreshold=-1",
        "spark.symshuffle.read.peerMapping=false"
      })
  @interface OnTwoHosts {}

  @Nested
  @OnTwoHosts
  class Adaptive extends AdaptiveSuite {}

  @Nested
  @OnTwoHosts
  class Blocks {
    private static final String MANY_SMALL_BLOCKS =
        """
        SELECT k, count(*), sum(id), max(text)
          FROM (SELECT id, id * 31 % 4099 k, concat('row ', id % 1000) text
            FROM range(0, 20000, 1, 24)
            DISTRIBUTE BY id % 977)
          GROUP BY k\
        """;

    @Test
    void manySmallBlocksGiveTheSameRows(ResultComparer comparer, SparkCluster cluster) {
      ExecutorGauges before = cluster.gauges();
      Comparison comparison =
          comparer.compare(
              s -> {
                s.conf().set("spark.sql.shuffle.partitions", 32);
                s.conf().set("spark.sql.adaptive.coalescePartitions.enabled", false);
                return s.sql(MANY_SMALL_BLOCKS);
              });
      ExecutorGauges after = cluster.gauges();
      assertEquals(
          comparison.sparks().recording().totals().blocksRead(),
          comparison.ours().recording().totals().blocksRead());
      assertTrue(after.sum("read.transfer.bytes") > before.sum("read.transfer.bytes"));
      assertEquals(0, after.sum("read.failures"));
    }
  }
}
