// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle;

import io.symshuffle.fuzz.Fuzzing;
import io.symshuffle.shuffle.directory.ControlFuzz;
import io.symshuffle.shuffle.output.IndexFuzz;
import io.symshuffle.shuffle.read.FrameFuzz;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bytes of other processes, as a fuzzer that sees which code they reach makes them up. */
class FuzzTest {
  @Test
  @Timeout(value = 10, unit = TimeUnit.MINUTES) // 35 s on an idle machine
  void bytesOfOtherProcessesGiveAnAnswerOrARefusal() throws Exception {
    // The same inputs each time: a build must not depend on luck.
    fuzz(20_000, Duration.ofMinutes(1));
  }

  @Test
  @Tag("long")
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void alsoAfterMinutes() throws Exception {
    fuzz(0, Duration.ofMinutes(3));
  }

  /** All at once. */
  private static void fuzz(int inputs, Duration time) throws Exception {
    List<Fuzzing> runs =
        List.of(
            Fuzzing.start(IndexFuzz.class, IndexFuzz.seeds(), inputs, time),
            Fuzzing.start(ControlFuzz.class, ControlFuzz.seeds(), inputs, time),
            Fuzzing.start(FrameFuzz.class, FrameFuzz.seeds(), inputs, time));
    for (Fuzzing run : runs) {
      run.assertNothingFound();
    }
  }
}
