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
final class CopySteps {
  private CopySteps() {}

  /**
   * Pulls random pieces of all sizes and alignments from every PE by one kernel. Each PE's source
   * is [0, 4 MiB) of its buffer; each pair of PEs has a part of [4 MiB, 16 MiB) that all PEs
   * compute in the same way.
   */
  static void pull(PeState s) throws Exception {
    int sourceBytes = 4 << 20;
    int part = ((12 << 20) / s.peCount) & -4096;
    s.write(s.local(0, sourceBytes), s.content(s.pe, sourceBytes));
    s.fill(s.local(sourceBytes, (long) part * s.peCount), (byte) 0);
    s.barrier();
    List<Piece> pieces = new ArrayList<>();
    for (int k = 0; k < s.peCount; k++) {
      int from = (s.pe + k) % s.peCount;
      for (Part p : parts(s, from, s.pe, sourceBytes, part)) {
        pieces.add(
            new Piece(
                s.peer(from, p.source, p.bytes),
                s.local(sourceBytes + (long) from * part + p.destination, p.bytes),
                from));
      }
    }
    LaunchPlan usual = s.kernels.planFor(pieces, s.peCount);
    try (KernelLaunch launch = s.kernels.pull(pieces, usual);
        KernelLaunch small = s.kernels.pull(pieces, new LaunchPlan(3, 1, 1))) {
      for (KernelLaunch each : List.of(launch, small, launch)) {
        each.queue(s.stream);
        each.await(s.stream, PeState.LIMIT);
      }
    }
    s.barrier();
    for (int from = 0; from < s.peCount; from++) {
      byte[] theirs = s.content(from, sourceBytes);
      byte[] expected = new byte[part];
      for (Part p : parts(s, from, s.pe, sourceBytes, part)) {
        System.arraycopy(theirs, p.source, expected, p.destination, p.bytes);
      }
      byte[] got = s.read(s.local(sourceBytes + (long) from * part, part));
      assertEquals(-1, Arrays.mismatch(expected, got), "first wrong byte from PE " + from);
    }
    assertFalse(pieces.isEmpty());
    s.barrier();
  }

  private record Part(int source, int destination, int bytes) {}

  private static List<Part> parts(PeState s, int from, int to, int sourceBytes, int part) {
    Random random = new Random(s.seed * 101 + 13L * from + to);
    List<Part> parts = new ArrayList<>();
    int at = 0;
    for (int i = 0; i < 200; i++) {
      int bytes = random.nextInt(i % 20 == 0 ? 200_000 : 3000);
      at += random.nextInt(40);
      if (at + bytes > part) {
        break;
      }
      parts.add(new Part(random.nextInt(sourceBytes - bytes), at, bytes));
      at += bytes;
    }
    return parts;
  }
}
