// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import org.junit.jupiter.api.Test;

/**
 * Compares sizes, offsets and version words with those of a C compiler for nvshmem_types.h and
 * nvshmem_uniqueid.h of NVSHMEM 3.4.5 on x86-64.
 */
class StructLayoutTest {

  @Test
  void initAttributesHaveTheLayoutOfC() {
    assertEquals(24, InitAttributes.UNIQUE_ID_ARGUMENTS.byteSize());
    assertEquals(8, InitAttributes.UNIQUE_ID_ARGUMENTS.byteAlignment());
    assertEquals(128, InitAttributes.ARGUMENTS.byteSize());
    assertEquals(144, InitAttributes.LAYOUT.byteSize());
    assertEquals(8, InitAttributes.LAYOUT.byteAlignment());
    assertEquals(0, offset(InitAttributes.LAYOUT, "version"));
    assertEquals(8, offset(InitAttributes.LAYOUT, "mpi_comm"));
    assertEquals(16, offset(InitAttributes.LAYOUT, "args", "version"));
    assertEquals(24, offset(InitAttributes.LAYOUT, "args", "uid", "version"));
    assertEquals(32, offset(InitAttributes.LAYOUT, "args", "uid", "id"));
    assertEquals(40, offset(InitAttributes.LAYOUT, "args", "uid", "pe"));
    assertEquals(44, offset(InitAttributes.LAYOUT, "args", "uid", "pes"));
    assertEquals(48, offset(InitAttributes.LAYOUT, "args", "content"));
  }

  @Test
  void newInitAttributesHaveOnlyVersionWords() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = InitAttributes.allocate(arena);
      assertEquals(65_680, attributes.get(JAVA_INT, 0));
      assertEquals(65_664, attributes.get(JAVA_INT, 16));
      assertEquals(65_560, attributes.get(JAVA_INT, 24));
      for (long offset : new long[] {4, 8, 12, 20, 28, 32, 36, 40, 44, 48, 140}) {
        assertEquals(0, attributes.get(JAVA_INT, offset), "at " + offset);
      }
    }
  }

  @Test
  void uniqueIdHas128BytesAndItsVersionWord() {
    assertEquals(128, UniqueId.BYTES);
    assertEquals(65_664, UniqueId.VERSION_WORD);
  }

  private static long offset(StructLayout layout, String... path) {
    PathElement[] elements = new PathElement[path.length];
    for (int i = 0; i < path.length; i++) {
      elements[i] = PathElement.groupElement(path[i]);
    }
    return layout.byteOffset(elements);
  }
}
