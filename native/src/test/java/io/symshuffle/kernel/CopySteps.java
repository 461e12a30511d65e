// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Steps that copy pieces between PEs. */
public final class CopySteps {
  private CopySteps() {}

  /** Pieces of all sizes and alignments from every PE, by one kernel. */
  static void pull(PeState s) throws Exception {
    copy(s, true, (pieces, plan) -> Prepared.of(s.kernels.pull(pieces, plan)), 1);
  }

  /** A copy that can be queued. */
  public interface Prepared extends AutoCloseable {
    /** Queues it and waits for it. */
    void run(PeState s) throws Exception;

    @Override
    void close();

    /** A copy by one kernel. */
    static Prepared of(KernelLaunch launch) {
      return new Prepared() {
        @Override
        public void run(PeState s) throws Exception {
          launch.queue(s.stream);
          launch.await(s.stream, PeState.LIMIT);
        }

        @Override
        public void close() {
          launch.close();
        }
      };
    }
  }

  /** Prepares a copy. */
  @FunctionalInterface
  public interface Copy {
    /** Prepares a copy of these pieces. */
    Prepared prepare(List<Piece> pieces, LaunchPlan plan);
  }

  /**
   * Copies random pieces between all pairs of PEs. Each PE's source is [0, 4 MiB) of its buffer;
   * each pair has a part of [4 MiB, 16 MiB) that all PEs compute in the same way.
   */
  public static void copy(PeState s, boolean pull, Copy copy, int alignment) throws Exception {
    copy(s, pull, copy, alignment, () -> {});
  }

  /** Copies like the method above, and then runs an action. */
  public static void copy(PeState s, boolean pull, Copy copy, int alignment, Runnable afterwards)
      throws Exception {
    int sourceBytes = 4 << 20;
    int part = ((12 << 20) / s.peCount) & -4096;
    s.write(s.local(0, sourceBytes), s.content(s.pe, sourceBytes));
    s.fill(s.local(sourceBytes, (long) part * s.peCount), (byte) 0);
    s.barrier();
    List<Piece> pieces = new ArrayList<>();
    for (int k = 0; k < s.peCount; k++) {
      int pe = (s.pe + k) % s.peCount;
      int from = pull ? pe : s.pe;
      int to = pull ? s.pe : pe;
      for (Part p : parts(s, from, to, sourceBytes, part, alignment)) {
        pieces.add(
            new Piece(
                s.peer(from, p.source, p.bytes),
                s.peer(to, sourceBytes + (long) from * part + p.destination, p.bytes),
                pe));
      }
    }
    LaunchPlan usual = s.kernels.planFor(pieces, s.peCount);
    try (Prepared launch = copy.prepare(pieces, usual);
        Prepared small = copy.prepare(pieces, new LaunchPlan(3, 1, 1))) {
      for (Prepared each : List.of(launch, small, launch)) {
        each.run(s);
      }
    } finally {
      afterwards.run();
    }
    s.barrier();
    for (int from = 0; from < s.peCount; from++) {
      byte[] theirs = s.content(from, sourceBytes);
      byte[] expected = new byte[part];
      for (Part p : parts(s, from, s.pe, sourceBytes, part, alignment)) {
        System.arraycopy(theirs, p.source, expected, p.destination, p.bytes);
      }
      byte[] got = s.read(s.local(sourceBytes + (long) from * part, part));
      assertEquals(-1, Arrays.mismatch(expected, got), "first wrong byte from PE " + from);
    }
    assertFalse(pieces.isEmpty());
    s.barrier();
  }

  private record Part(int source, int destination, int bytes) {}

  private static List<Part> parts(
      PeState s, int from, int to, int sourceBytes, int part, int alignment) {
    Random random = new Random(s.seed * 101 + 13L * from + to);
    List<Part> parts = new ArrayList<>();
    int at = 0;
    for (int i = 0; i < 200; i++) {
      int bytes = random.nextInt(i % 20 == 0 ? 200_000 : 3000) & -alignment;
      at += random.nextInt(40) & -alignment;
      if (at + bytes > part) {
        break;
      }
      parts.add(new Part(random.nextInt(sourceBytes - bytes) & -alignment, at, bytes));
      at += bytes;
    }
    return parts;
  }
}
