// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.probe.PathRates.Kind;
import io.symshuffle.shuffle.probe.PathRates.Way;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Ways to other executors that take as long as the test says. */
class PathRatesTest {
  private final ShuffleStats stats = new ShuffleStats();
  private final List<String> told = new ArrayList<>();
  private long nanos;
  private boolean idle = true;
  private int moves;

  @AutoClose
  private final PathRates rates = new PathRates(() -> idle, told::add, stats, () -> nanos);

  /** A way with a rate for each use, in MB/s; the last one is repeated. */
  private Way way(long... megabytesPerSecond) {
    int[] uses = {0};
    return () -> {
      long rate = megabytesPerSecond[Math.min(uses[0]++, megabytesPerSecond.length - 1)];
      moves++;
      nanos += 1_000_000_000 / rate;
      return 1_000_000;
    };
  }

  @Test
  void slowPeerIsReportedOnce() {
    rates.use(Kind.NETWORK, "executor 3 on b:7337", way(10));
    rates.use(Kind.NETWORK, "executor 4 on c:7337", way(90));
    for (int i = 0; i < 3; i++) {
      rates.use(Kind.NETWORK, "executor 3 on b:7337", way(1));
      rates.measureNext();
    }
    assertEquals(1, told.size(), told::toString);
    assertTrue(
        told.getFirst()
            .startsWith(
                "The way to executor 3 on b:7337 over the network is slow: 10.0 MB/s, where at"
                    + " least 20 are usual."),
        told::toString);
    assertEquals(2, stats.sum(ShuffleCounter.PATHS_MEASURED));
    assertEquals(1, stats.sum(ShuffleCounter.PATHS_SLOW));
    assertEquals(PathRates.ROUNDS + 1, moves, "a fast way needs one round");
  }

  @Test
  void eachKindHasItsOwnRate() {
    for (Kind kind : Kind.values()) {
      rates.use(kind, "PE 3", way(100));
      rates.measureNext();
    }
    assertEquals(2, told.size(), told::toString);
    assertTrue(told.get(0).contains("over GPU memory"), told::toString);
    assertTrue(told.get(1).contains("over shared memory"), told::toString);
  }

  @Test
  void bestRoundCounts() {
    rates.use(Kind.NETWORK, "executor 3", way(2, 100, 3));
    rates.measureNext();
    assertEquals(List.of(), told);
    assertEquals(1, stats.sum(ShuffleCounter.PATHS_MEASURED));
  }

  @Test
  void waitsWhileTasksRead() {
    idle = false;
    rates.use(Kind.NETWORK, "executor 3", way(2));
    rates.measureNext();
    assertEquals(0, moves);
    idle = true;
    rates.measureNext();
    assertEquals(1, told.size());
  }

  @Test
  void wayThatFailsIsNotSlow() {
    rates.use(
        Kind.NETWORK,
        "executor 3",
        () -> {
          throw new IOException("connection refused");
        });
    rates.measureNext();
    rates.use(Kind.NETWORK, "executor 3", way(2));
    rates.measureNext();
    assertEquals(List.of(), told);
    assertEquals(0, stats.sum(ShuffleCounter.PATHS_MEASURED));
    assertEquals(0, moves);
  }

  @Test
  void wayWithoutMemoryIsMeasuredAtItsNextUse() {
    rates.use(Kind.GPU, "PE 3", () -> 0);
    rates.measureNext();
    assertEquals(0, stats.sum(ShuffleCounter.PATHS_MEASURED));
    rates.use(Kind.GPU, "PE 3", way(400));
    rates.measureNext();
    assertEquals(1, stats.sum(ShuffleCounter.PATHS_SLOW));
  }

  @Test
  void measuresALimitedNumberOfWays() {
    for (int peer = 0; peer < 2 * PathRates.MAX_WAYS; peer++) {
      rates.use(Kind.NETWORK, "executor " + peer, way(100));
      rates.measureNext();
    }
    assertEquals(PathRates.MAX_WAYS, stats.sum(ShuffleCounter.PATHS_MEASURED));
  }
}
