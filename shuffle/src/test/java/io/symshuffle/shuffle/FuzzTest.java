// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle;

import io.symshuffle.barrier.ControlBlockFuzz;
import io.symshuffle.fuzz.Fuzzing;
import io.symshuffle.heap.gpu.DescriptorFuzz;
import io.symshuffle.shuffle.compress.PacketFuzz;
import io.symshuffle.shuffle.directory.ControlFuzz;
import io.symshuffle.shuffle.output.IndexFuzz;
import io.symshuffle.shuffle.read.AnswerFuzz;
import io.symshuffle.shuffle.read.FrameFuzz;
import io.symshuffle.shuffle.table.TableFrameFuzz;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Feeds data that other processes could write to the code that reads it. */
class FuzzTest {
  private static final int INPUTS = 5_000;

  @Test
  void handlesOrRejectsDamagedData() throws Exception {
    replay(DescriptorFuzz.class, DescriptorFuzz::fuzzerTestOneInput, DescriptorFuzz.seeds());
    replay(IndexFuzz.class, IndexFuzz::fuzzerTestOneInput, IndexFuzz.seeds());
    replay(ControlFuzz.class, ControlFuzz::fuzzerTestOneInput, ControlFuzz.seeds());
    replay(FrameFuzz.class, FrameFuzz::fuzzerTestOneInput, FrameFuzz.seeds());
    replay(AnswerFuzz.class, AnswerFuzz::fuzzerTestOneInput, AnswerFuzz.seeds());
    replay(TableFrameFuzz.class, TableFrameFuzz::fuzzerTestOneInput, TableFrameFuzz.seeds());
    replay(PacketFuzz.class, PacketFuzz::fuzzerTestOneInput, PacketFuzz.seeds());
    replay(ControlBlockFuzz.class, ControlBlockFuzz::fuzzerTestOneInput, ControlBlockFuzz.seeds());
  }

  private static void replay(Class<?> type, Fuzzing.Target target, List<byte[]> seeds)
      throws Exception {
    Fuzzing.replay(type, target, seeds, INPUTS);
  }

  /** All targets in parallel, with inputs that a coverage-guided fuzzer finds. */
  @Test
  @Tag("long")
  void handlesOrRejectsWhatAFuzzerFindsInMinutes() throws Exception {
    Duration time = Duration.ofMinutes(3);
    List<Fuzzing> runs =
        List.of(
            Fuzzing.start(DescriptorFuzz.class, DescriptorFuzz.seeds(), time),
            Fuzzing.start(IndexFuzz.class, IndexFuzz.seeds(), time),
            Fuzzing.start(ControlFuzz.class, ControlFuzz.seeds(), time),
            Fuzzing.start(FrameFuzz.class, FrameFuzz.seeds(), time),
            Fuzzing.start(AnswerFuzz.class, AnswerFuzz.seeds(), time),
            Fuzzing.start(TableFrameFuzz.class, TableFrameFuzz.seeds(), time),
            Fuzzing.start(PacketFuzz.class, PacketFuzz.seeds(), time),
            Fuzzing.start(ControlBlockFuzz.class, ControlBlockFuzz.seeds(), time));
    for (Fuzzing run : runs) {
      run.assertNothingFound();
    }
  }
}
