// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.nvshmem;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Compares the struct with nvshmem_types.h. */
class TeamConfigTest {
  @Test
  void teamConfigHasTheLayoutOfC() {
    assertEquals(64, TeamConfig.LAYOUT.byteSize());
    assertEquals(8, TeamConfig.LAYOUT.byteAlignment());
    assertEquals(4, TeamConfig.offset("num_contexts"));
    assertEquals(8, TeamConfig.offset("uniqueid"));
    assertEquals(16, TeamConfig.offset("padding"));
    assertEquals(131_136, TeamConfig.VERSION_WORD);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment config = TeamConfig.defaults(arena);
      assertEquals(131_136, config.get(JAVA_INT, 0));
      assertEquals(-1, config.get(JAVA_INT, 4));
      assertEquals(-1L, config.get(JAVA_LONG, 8));
    }
  }
}
