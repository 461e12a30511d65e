// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Compares bound structs and symbols with the NVSHMEM of this machine, without a GPU. Set {@code
 * NVSHMEM_HOME} if it is not installed by a wheel or package.
 */
class RealLibraryTest {
  private static NvshmemLibrary library;

  @BeforeAll
  static void needsTheLibrary() {
    library = NvshmemLibrary.open(NvshmemSearch.here(Optional.empty()));
    assumeTrue(
        library.version().isPresent(),
        () -> "NVSHMEM is needed: " + library.absence().orElseThrow());
  }

  @Test
  void hasEveryBoundSymbol() {
    assertEquals(Optional.empty(), library.absence());
  }

  @Test
  void attributesHaveTheOffsetsOfTheLibrary() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment id = arena.allocate(UniqueId.BYTES, 8);
      id.set(JAVA_INT, 0, UniqueId.VERSION_WORD);
      assertEquals(0, library.api().getUniqueId(id));
      UniqueId first = new UniqueId(id.toArray(JAVA_BYTE));
      assertEquals(0, library.api().getUniqueId(id));
      assertNotEquals(first, new UniqueId(id.toArray(JAVA_BYTE)), "each id is new");

      MemorySegment attributes = InitAttributes.allocate(arena);
      assertEquals(0, library.api().setUniqueIdArguments(3, 7, id, attributes));
      assertEquals(65_680, attributes.get(JAVA_INT, 0));
      assertEquals(65_664, attributes.get(JAVA_INT, 16));
      assertEquals(65_560, attributes.get(JAVA_INT, 24));
      assertEquals(id.address(), attributes.get(JAVA_LONG, 32));
      assertEquals(3, attributes.get(JAVA_INT, 40));
      assertEquals(7, attributes.get(JAVA_INT, 44));
    }
  }

  @Test
  void reportsThatItIsNotInitialized() {
    assertEquals(InitStatus.NOT_INITIALIZED, InitStatus.of(library.api().initStatus()));
  }
}
