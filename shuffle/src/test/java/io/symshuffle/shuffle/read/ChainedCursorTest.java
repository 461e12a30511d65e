// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class ChainedCursorTest {
  @Test
  void returnsBlocksOfCursorsInOrder() {
    byte[][] blocks = {new byte[8], new byte[16], new byte[24], new byte[32]};
    BlockCursor chain =
        chain(
            new FakeCursor("first").add(1, blocks[0]).add(2, blocks[1]),
            new FakeCursor("second").add(3, blocks[2]).add(4, blocks[3]));
    for (int i = 0; i < blocks.length; i++) {
      assertTrue(chain.advance());
      assertEquals(i + 1, chain.partition);
      assertSame(blocks[i], chain.object);
      assertEquals(blocks[i].length, chain.limit - chain.position);
    }
    assertFalse(chain.advance());
    assertFalse(chain.advance());
  }

  @Test
  void skipsEmptyCursors() {
    BlockCursor first =
        chain(new FakeCursor("first"), new FakeCursor("second").add(3, new byte[8]));
    assertTrue(first.advance());
    assertFalse(first.advance());
    BlockCursor second =
        chain(new FakeCursor("first").add(3, new byte[8]), new FakeCursor("second"));
    assertTrue(second.advance());
    assertFalse(second.advance());
    assertFalse(chain(new FakeCursor("first"), new FakeCursor("second")).advance());
  }

  @Test
  void reportsCorruptBlockToItsCursor() {
    BlockCursor chain =
        chain(
            new FakeCursor("first").add(1, new byte[8]),
            new FakeCursor("second").add(2, new byte[8]));
    assertTrue(chain.advance());
    assertEquals("first: odd", blame(chain));
    assertTrue(chain.advance());
    assertEquals("second: odd", blame(chain));
  }

  private static BlockCursor chain(BlockCursor... cursors) {
    return ChainedCursor.of(List.of(cursors));
  }

  private static String blame(BlockCursor cursor) {
    return assertThrows(IllegalStateException.class, () -> cursor.corrupt("odd")).getMessage();
  }
}
