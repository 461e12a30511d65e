// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TurnsTest {
  @Test
  void firstOfARoundIsLastOfTheNext() {
    assertEquals(
        List.of(
            List.of("a", "b", "c"),
            List.of("b", "c", "a"),
            List.of("c", "a", "b"),
            List.of("a", "b", "c")),
        IntStream.range(0, 4).mapToObj(r -> Turns.order(List.of("a", "b", "c"), r)).toList());
  }
}
