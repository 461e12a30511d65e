// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** A list of pieces as kernels read it: PullDescriptor[pieces], numbered in units. */
final class PieceTable {
  /** Size of a PullDescriptor. */
  static final long DESCRIPTOR_BYTES =
      KernelStruct.layout(KernelStruct.PullDescriptor.class).byteSize();

  /** Most units of one list: 4 TiB. */
  private static final long MOST_UNITS = 1L << 31;

  private PieceTable() {}

  /** long[pieces + 1]: number of the first unit of each piece, and of all units at the end. */
  static long[] firstUnits(List<Piece> pieces, boolean pull) {
    long[] firstUnits = new long[pieces.size() + 1];
    for (int i = 0; i < pieces.size(); i++) {
      firstUnits[i + 1] = firstUnits[i] + units(pieces.get(i), pull);
    }
    checkUnits(firstUnits[pieces.size()]);
    return firstUnits;
  }

  private static long units(Piece piece, boolean pull) {
    return pull
        ? UnitGeometry.unitsByRemoteSource(
            piece.source().address(), piece.destination().address(), piece.bytes())
        : UnitGeometry.unitsByRemoteDestination(piece.destination().address(), piece.bytes());
  }

  /** Refuses a list that kernels cannot number. */
  static long checkUnits(long units) {
    if (units > MOST_UNITS) {
      throw new IllegalArgumentException(
          "a list of %d units of %d bytes is longer than %d: cut it"
              .formatted(units, KernelLayout.UNIT_BYTES, MOST_UNITS));
    }
    return units;
  }

  /** Fills in PullDescriptor[pieces]. */
  static void write(List<Piece> pieces, long[] firstUnits, MemorySegment to) {
    long at = 0;
    for (int i = 0; i < pieces.size(); i++, at += DESCRIPTOR_BYTES) {
      Piece piece = pieces.get(i);
      to.set(JAVA_LONG, at, piece.source().address());
      to.set(JAVA_LONG, at + 8, piece.destination().address());
      to.set(JAVA_LONG, at + 16, piece.bytes());
      to.set(JAVA_INT, at + 24, (int) firstUnits[i]);
      to.set(JAVA_INT, at + 28, piece.pe());
    }
  }
}
