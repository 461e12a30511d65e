// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentsTest {
  private final Arena arena = Arena.ofConfined();

  @AfterEach
  void free() {
    arena.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "/dev/shm/heap-0", "Größe €"})
  void readsTheStringThatItAllocated(String text) {
    MemorySegment string = Segments.allocateString(arena, text);
    assertEquals(0, string.get(JAVA_BYTE, string.byteSize() - 1));
    assertEquals(text, Segments.getString(string, 0));
  }

  @Test
  void readsAStringUpToTheFirstZeroByte() {
    MemorySegment bytes = MemorySegment.ofArray(new byte[] {'a', 'b', 'c', 0, 'd'});
    assertEquals("bc", Segments.getString(bytes, 1));
  }

  @Test
  void refusesAStringWithoutAZeroByte() {
    MemorySegment bytes = MemorySegment.ofArray(new byte[] {'a', 'b'});
    assertThrows(IndexOutOfBoundsException.class, () -> Segments.getString(bytes, 0));
  }

  @Test
  void copiesArraysToAlignedMemory() {
    Segments.allocateString(arena, "x");
    MemorySegment copy = Segments.allocateCopy(arena, MemorySegment.ofArray(new int[] {1, -2, 3}));
    assertEquals(0, copy.address() % Long.BYTES);
    assertArrayEquals(new int[] {1, -2, 3}, copy.toArray(JAVA_INT));
  }
}
