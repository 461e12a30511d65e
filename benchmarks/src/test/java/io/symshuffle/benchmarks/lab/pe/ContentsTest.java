// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class ContentsTest {
  private static final int BYTES = 48;
  private static final int PES = 3;

  @Test
  void anAllToAllMustHaveOneBlockOfEachPe() throws Exception {
    int block = BYTES / PES;
    ByteBuffer got = buffer();
    for (int pe = 0; pe < PES; pe++) {
      got.put(pe * block, sent(pe), block, block);
    }
    assertTrue(isRight(got));
    got.put(17, (byte) (got.get(17) + 1));
    assertFalse(isRight(got), "a byte of PE 1 is wrong");
  }

  private static ByteBuffer sent(int pe) {
    ByteBuffer sent = buffer();
    Contents.of(5, pe, PES).sent().write(0, MemorySegment.ofBuffer(sent));
    return sent;
  }

  /** Checks the receive buffer of PE 1. */
  private static boolean isRight(ByteBuffer got) throws Exception {
    return Contents.of(5, 1, PES)
        .areIn(
            BYTES,
            (at, bytes, content, offset) ->
                content.matches(offset, MemorySegment.ofBuffer(got).asSlice(at, bytes)));
  }

  private static ByteBuffer buffer() {
    return ByteBuffer.allocate(BYTES).order(ByteOrder.nativeOrder());
  }
}
