// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import io.symshuffle.it.ClusterKind;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import org.junit.jupiter.api.Test;

/** Shuffles of the RDD interface that go through the heap; see {@link RddSuite} for the others. */
class RddIT {
  @Test
  @SparkTest(
      cluster = ClusterKind.LOCAL,
      cores = 2,
      conf = "spark.serializer=org.apache.spark.serializer.KryoSerializer")
  void shufflesWithKryo(SparkCluster cluster) {
    RddSuite.allAreRight(cluster);
  }
}
