// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.directory.MapOutputId;
import java.util.List;
import org.junit.jupiter.api.Test;

class EndedShufflesTest {
  private final EndedShuffles ended = new EndedShuffles();

  @Test
  void keepsTheLatestEndOfAShuffle() {
    ended.add(5, 40);
    ended.add(6, 45);
    ended.add(5, 50);
    ended.add(5, 30);
    assertTrue(ended.contains(new MapOutputId(5, 50)));
    assertEquals(List.of(6, 5), List.copyOf(ended.copy().keySet()));
  }

  @Test
  void forgetsTheShufflesThatEndedFirst() {
    for (int shuffle = 0; shuffle <= EndedShuffles.MAX_SHUFFLES; shuffle++) {
      ended.add(shuffle, 40);
    }
    assertEquals(EndedShuffles.MAX_SHUFFLES, ended.copy().size());
    assertFalse(ended.contains(new MapOutputId(0, 1)));
    assertTrue(ended.contains(new MapOutputId(1, 1)));
  }
}
