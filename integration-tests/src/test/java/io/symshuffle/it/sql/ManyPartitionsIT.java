// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import io.symshuffle.it.ResultComparer;
import io.symshuffle.it.SparkTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Exchanges with thousands of tasks that each do almost nothing. */
@Tag("long")
@SparkTest(memoryMb = 2048)
class ManyPartitionsIT {
  @Test
  void shuffles3000MapsInto3000Partitions(ResultComparer comparer) {
    ExchangesSuite.manyByMany(comparer, 3000);
  }

  @Test
  void reads20000PartitionsIn20000Tasks(ResultComparer comparer) {
    comparer.compare(
        s -> {
          s.conf().set("spark.sql.adaptive.enabled", false);
          s.conf().set("spark.sql.shuffle.partitions", 20_000);
          return ExchangesSuite.rows(s, 100_000).groupBy("id").count();
        });
  }
}
