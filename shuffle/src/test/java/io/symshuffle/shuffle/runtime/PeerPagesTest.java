// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PeerPagesTest {
  private static final long MIB = 1L << 20;
  private static final long LIMIT = 256 * MIB;

  private long resident = 500 * MIB;
  private int drops;
  private final PeerPages pages =
      new PeerPages(
          LIMIT,
          () -> {
            drops++;
            resident = 600 * MIB;
          },
          () -> resident);

  @Test
  void dropsPagesAboveLimit() {
    resident += LIMIT;
    pages.read(64 * MIB);
    assertEquals(0, drops);

    resident += 1;
    pages.read(64 * MIB);
    assertEquals(1, drops);

    // From the new floor.
    resident += LIMIT;
    pages.read(64 * MIB);
    assertEquals(1, drops);
    resident += 1;
    pages.read(64 * MIB);
    assertEquals(2, drops);
  }

  @Test
  void lowersFloorWhenProcessShrinks() {
    resident = 100 * MIB;
    pages.read(64 * MIB);
    resident += LIMIT + 1;
    pages.read(64 * MIB);
    assertEquals(1, drops);
  }

  @Test
  void dropsPagesOnceWhenIdle() {
    for (int call = 0; call < 10; call++) {
      pages.dropIfIdle(false);
    }
    assertEquals(0, drops, "nothing was read");
    pages.read(1);
    for (int call = 0; call < 10; call++) {
      pages.dropIfIdle(true);
    }
    for (int call = 0; call < 4; call++) {
      pages.dropIfIdle(false);
    }
    assertEquals(0, drops);
    for (int call = 0; call < 10; call++) {
      pages.dropIfIdle(false);
    }
    assertEquals(1, drops);
  }

  @Test
  void stopsWhenPagesCannotBeDropped() {
    PeerPages failing =
        new PeerPages(
            LIMIT,
            () -> {
              drops++;
              throw new IllegalStateException("the pages are locked");
            },
            () -> resident);
    resident += LIMIT + 1;
    failing.read(64 * MIB);
    failing.read(64 * MIB);
    for (int call = 0; call < 10; call++) {
      failing.dropIfIdle(false);
    }
    assertEquals(1, drops);
  }
}
