// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.MemoryLayout.PathElement;
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

  private static long offset(StructLayout layout, String... path) {
    PathElement[] elements = new PathElement[path.length];
    for (int i = 0; i < path.length; i++) {
      elements[i] = PathElement.groupElement(path[i]);
    }
    return layout.byteOffset(elements);
  }
}
