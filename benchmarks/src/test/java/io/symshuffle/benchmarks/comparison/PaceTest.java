// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PaceTest {
  private static final List<Double> WEIGHTS = List.of(4.0, 1.0, 1.0, 2.0);

  private long now = 7_000_000_000L;

  @Test
  void firstEstimateIsTheSumAtTheKnownPace() {
    assertEquals(Optional.of(Duration.ofSeconds(12)), pace(Optional.empty(), 1.5).left());
  }

  @Test
  void nothingIsEstimatedBeforeTheFirstJobOfAnUnknownMachine() {
    Pace pace = pace(Optional.empty(), Double.NaN);
    assertEquals(Optional.empty(), pace.left());
    pace.next();
    now += seconds(8);
    pace.done();
    assertEquals(Optional.of(Duration.ofSeconds(8)), pace.left(), "4 more at 2 s each");
    assertEquals(50, pace.percent());
  }

  /** The first query takes longest, so an average over jobs would say 3 times as much. */
  @Test
  void estimateOfASlowMachineIsRightWithinAQuarterAfterTheFirstJob() {
    Pace pace = pace(Optional.empty(), 1);
    pace.next();
    now += seconds(12);
    pace.done();
    double left = pace.left().orElseThrow().toMillis() / 1000.0;
    assertTrue(left >= 9 && left <= 15, left + " s, but 4 more take 12 s");
  }

  @Test
  void jobsRunAgainAsLongAsAllOfThemFit() {
    // The least, a warm-up and two runs, takes 8 s of 24 s: each job has 3 times its least time.
    Pace pace = pace(Optional.of(Duration.ofSeconds(24)), 1);
    int runs = 0;
    for (double weight : WEIGHTS) {
      pace.next();
      now += seconds(weight / 3);
      int of = 0;
      do {
        now += seconds(weight / 3);
        of++;
      } while (pace.another(of, Duration.ofNanos(seconds(weight / 3))));
      pace.done();
      runs += of;
    }
    assertEquals(32, runs, "8 timed runs of each job after its warm-up");
    assertEquals(31, now / 1e9, 1e-6, "the time is used and not exceeded");
    assertEquals(Optional.of(Duration.ZERO), pace.left());
  }

  @Test
  void eachJobRunsTwiceIfTheMachineIsTooSlow() {
    Pace pace = pace(Optional.of(Duration.ofSeconds(20)), 1);
    for (double weight : WEIGHTS) {
      pace.next();
      now += seconds(10 * weight);
      assertTrue(pace.another(1, Duration.ofNanos(seconds(5 * weight))), "one run has no scatter");
      now += seconds(5 * weight);
      assertFalse(pace.another(2, Duration.ofNanos(seconds(5 * weight))));
      pace.done();
    }
  }

  private Pace pace(Optional<Duration> time, double firstPace) {
    return new Pace(() -> now, WEIGHTS, time, firstPace);
  }

  private static long seconds(double seconds) {
    return Math.round(seconds * 1e9);
  }
}
