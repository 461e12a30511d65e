// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.probe.PathRates.Way;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import scala.Option;

/** Ways to other executors that take as long as the test says. */
class PathRatesTest {
  private final ShuffleStats stats = new ShuffleStats();
  private final List<String> told = new ArrayList<>();
  private final Map<BlockManagerId, Way> ways = new HashMap<>();
  private long nanos;
  private boolean idle = true;
  private int moves;

  @AutoClose
  private final PathRates rates =
      new PathRates(() -> idle, ways::get, told::add, stats, () -> nanos);

  private static BlockManagerId executor(int number) {
    return BlockManagerId.apply(Integer.toString(number), "b", 7337, Option.empty());
  }

  /** Fetches enough from an executor to measure the way to it. */
  private void use(BlockManagerId executor) {
    rates.fetch(executor, PathRates.LEAST_FETCHED);
  }

  /** An executor with a rate for each probe, in MB/s; the last one is repeated. */
  private BlockManagerId executor(int number, long... megabytesPerSecond) {
    int[] uses = {0};
    ways.put(
        executor(number),
        () -> {
          long rate = megabytesPerSecond[Math.min(uses[0]++, megabytesPerSecond.length - 1)];
          moves++;
          nanos += 1_000_000_000 / rate;
          return 1_000_000;
        });
    return executor(number);
  }

  @Test
  void slowPeerIsReportedOnce() {
    use(executor(3, 10));
    use(executor(4, 90));
    for (int i = 0; i < 3; i++) {
      use(executor(3));
      rates.measureNext();
    }
    assertEquals(1, told.size(), told::toString);
    assertTrue(
        told.getFirst()
            .startsWith(
                "The network to executor 3 on b:7337 is slow: 10.0 MB/s, where at least 20 are"
                    + " usual."),
        told::toString);
    assertEquals(2, stats.sum(ShuffleCounter.PATHS_MEASURED));
    assertEquals(1, stats.sum(ShuffleCounter.PATHS_SLOW));
    assertEquals(PathRates.ROUNDS + 1, moves, "a fast way needs one round");
  }

  @Test
  void smallJobsAreNotProbed() {
    BlockManagerId executor = executor(3, 10);
    rates.fetch(executor, PathRates.LEAST_FETCHED - 1);
    rates.measureNext();
    assertEquals(0, moves);
    rates.fetch(executor, 1);
    rates.measureNext();
    assertEquals(1, told.size());
  }

  @Test
  void bestRoundCounts() {
    use(executor(3, 2, 100, 3));
    rates.measureNext();
    assertEquals(List.of(), told);
    assertEquals(1, stats.sum(ShuffleCounter.PATHS_MEASURED));
  }

  @Test
  void waitsWhileTasksRead() {
    idle = false;
    use(executor(3, 2));
    rates.measureNext();
    assertEquals(0, moves);
    idle = true;
    rates.measureNext();
    assertEquals(1, told.size());
  }

  @Test
  void wayThatFailsIsNotSlow() {
    ways.put(
        executor(3),
        () -> {
          throw new IOException("connection refused");
        });
    use(executor(3));
    rates.measureNext();
    use(executor(3, 2));
    rates.measureNext();
    assertEquals(List.of(), told);
    assertEquals(0, stats.sum(ShuffleCounter.PATHS_MEASURED));
    assertEquals(0, moves);
  }

  @Test
  void measuresALimitedNumberOfWays() {
    for (int number = 0; number < 2 * PathRates.MAX_WAYS; number++) {
      use(executor(number, 100));
      rates.measureNext();
    }
    assertEquals(PathRates.MAX_WAYS, stats.sum(ShuffleCounter.PATHS_MEASURED));
  }
}
