// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.ClusterKind;
import io.symshuffle.it.PluginJar;
import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkTest;
import io.symshuffle.it.result.Comparison;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The harness itself, with Spark's sort shuffle. */
@SparkTest(cluster = ClusterKind.LOCAL, plugin = PluginJar.ABSENT)
@Tag("full")
class ResultComparerIT {
  @Test
  void findsEachRowThatDiffers(ResultComparer comparer) {
    Comparison comparison =
        comparer.compare("SELECT id % 10 k, count(*) n FROM range(1000) GROUP BY 1");
    assertEquals(10, comparison.ours().rows().size());
    assertEquals(1, comparison.sparks().plan().exchanges().size());
    assertEquals(0, comparison.sparks().plan().ourExchanges());
    AssertionError error =
        assertThrows(AssertionError.class, () -> comparer.compare("SELECT rand() FROM range(3)"));
    assertTrue(error.getMessage().contains("3 unexpected, 3 missing"), error.getMessage());
  }
}
