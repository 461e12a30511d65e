// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A fuzz target: the control block of another PE. The input is a list of changes to one that is in
 * call 8, 9 bytes each: a byte that selects the word, then what is stored there.
 */
public final class ControlBlockFuzz {
  private static final long GENERATION = 77;
  private static final long ARRIVALS = 16;
  private static final int CHANGE_BYTES = 9;
  private static final int WORDS = ControlBlock.BYTES / Long.BYTES;
  private static final int ARRIVALS_WORD = 8;

  private ControlBlockFuzz() {}

  /**
   * Called by the fuzzer: any content must result in values that fit together or a {@link
   * SymmetricMemoryException}.
   */
  public static void fuzzerTestOneInput(byte[] input) {
    // A block and nothing after it, so that a read beyond its end fails.
    ControlBlock block = ControlBlock.create(ControlBlock.empty().memory(), GENERATION);
    block.setCall(7, "allGather(offset 0, 64 bytes per PE)");
    block.setCall(8, "broadcast(from PE 1, offset 8, 16 bytes)");
    block.arrive(ARRIVALS);
    ByteBuffer changes = ByteBuffer.wrap(input).order(ByteOrder.LITTLE_ENDIAN);
    while (changes.remaining() >= CHANGE_BYTES) {
      int word = (changes.get() & 0xFF) % WORDS;
      block.memory().setAtIndex(JAVA_LONG, word, changes.getLong());
    }
    read(block, block.memory().getAtIndex(JAVA_LONG, ARRIVALS_WORD));
  }

  private static void read(ControlBlock block, long arrived) {
    FakePeer peer = new FakePeer(block, GENERATION);
    // Its first look at the clock ends a wait.
    PeerWait wait = new PeerWait(() -> {}, Duration.ofSeconds(1), () -> true, "PE 0");
    boolean right = arrived == ARRIVALS || arrived == ARRIVALS + 1;
    try {
      wait.await(peer, ARRIVALS, "barrier()");
      require(right || !peer.isCurrent(), "a PE that arrived " + arrived + " times");
    } catch (SymmetricMemoryException e) {
      require(!right && !e.getMessage().isBlank(), "an exception for a PE that has arrived");
    }
    ControlBlock copy = block.snapshot();
    require(copy.arrivals() == block.arrivals(), "arrivals of a copy");
    require(copy.memory().mismatch(block.memory()) < 0, "bytes of a copy");
    for (long call = 7; call <= 9; call++) {
      String text = block.call(call);
      require(text.length() <= ControlBlock.BYTES, "length of a call");
      require(text.equals(copy.call(call)), "call of a copy");
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  /** A change of each word. */
  public static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (int word = 0; word < WORDS; word++) {
      for (long value : new long[] {0, 1, ARRIVALS + 1, ARRIVALS + 2, -1, Long.MAX_VALUE}) {
        seeds.add(
            ByteBuffer.allocate(CHANGE_BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) word)
                .putLong(value)
                .array());
      }
    }
    return seeds;
  }
}
