// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.nvshmem;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * nvshmem_team_config_t version 2 (nvshmem_types.h, since 3.3), all defaults.
 *
 * <pre>
 *   0         4              8           16              64
 *  +---------+--------------+-----------+---------------+
 *  | version | num_contexts | uniqueid  | (padding)     |
 *  +---------+--------------+-----------+---------------+
 * </pre>
 */
final class TeamConfig {
  static final StructLayout LAYOUT =
      MemoryLayout.structLayout(
          JAVA_INT.withName("version"),
          JAVA_INT.withName("num_contexts"),
          JAVA_LONG.withName("uniqueid"),
          MemoryLayout.sequenceLayout(48, JAVA_BYTE).withName("padding"));

  static final int VERSION_WORD = (2 << 16) + 64;

  private TeamConfig() {}

  static MemorySegment defaults(Arena arena) {
    MemorySegment config = arena.allocate(LAYOUT);
    config.set(JAVA_INT, offset("version"), VERSION_WORD);
    config.set(JAVA_INT, offset("num_contexts"), -1);
    config.set(JAVA_LONG, offset("uniqueid"), -1L);
    return config;
  }

  static long offset(String field) {
    return LAYOUT.byteOffset(PathElement.groupElement(field));
  }
}
