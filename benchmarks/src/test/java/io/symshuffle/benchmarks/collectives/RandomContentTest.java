// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class RandomContentTest {
  @Test
  void matchesOnlyTheSameBytesOfTheSamePe() {
    RandomContent content = RandomContent.of(1);
    byte[] bytes = new byte[48];
    MemorySegment block = MemorySegment.ofArray(bytes);
    content.write(16, block);
    assertTrue(content.matches(16, block));
    assertFalse(content.matches(0, block), "another block");
    assertFalse(RandomContent.of(2).matches(16, block), "another PE");
    bytes[47]++;
    assertFalse(content.matches(16, block), "a wrong byte");
  }
}
