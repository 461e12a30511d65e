// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** A list of pieces in the format of the kernels: PullDescriptor[pieces], numbered in units. */
final class PieceTable {
  private static final long DESCRIPTOR_BYTES =
      DeviceStruct.layout(KernelStruct.PullDescriptor.class).byteSize();

  /** 4 TiB. */
  private static final long MAX_UNITS = 1L << 31;

  private final List<Piece> pieces;

  /** The first unit of each piece, followed by the number of all units. */
  private final long[] firstUnits;

  private PieceTable(List<Piece> pieces, long[] firstUnits) {
    this.pieces = pieces;
    this.firstUnits = firstUnits;
  }

  /**
   * Numbers a list of pieces.
   *
   * @throws IllegalArgumentException when the list is longer than 4 TiB
   */
  static PieceTable of(List<Piece> pieces) {
    long[] firstUnits = new long[pieces.size() + 1];
    for (int i = 0; i < pieces.size(); i++) {
      firstUnits[i + 1] = firstUnits[i] + units(pieces.get(i));
    }
    checkUnits(firstUnits[pieces.size()]);
    return new PieceTable(pieces, firstUnits);
  }

  private static long units(Piece piece) {
    return UnitGeometry.units(
        piece.source().address(), piece.destination().address(), piece.bytes());
  }

  /** Rejects a list with more units than kernels can number. */
  static long checkUnits(long units) {
    if (units > MAX_UNITS) {
      throw new IllegalArgumentException(
          "a list of %d units of %d bytes is longer than %d: split it"
              .formatted(units, KernelLayout.UNIT_BYTES, MAX_UNITS));
    }
    return units;
  }

  /** Prepares a pull of the pieces. */
  KernelLaunch pull(KernelModule module, LaunchPlan plan) {
    return new KernelLaunch(
        module,
        "symshuffle_pull",
        module.ctaShape(plan.ctas()),
        bytes(),
        this::write,
        place ->
            new KernelStruct.PullArguments(
                place.tables(),
                place.status(),
                pieces.size(),
                units(),
                plan.tileUnits(),
                plan.spans(),
                module.pe(),
                0));
  }

  private long bytes() {
    return DESCRIPTOR_BYTES * pieces.size();
  }

  /** The number of units of all pieces, as a u32. */
  private int units() {
    return (int) firstUnits[pieces.size()];
  }

  /**
   * Writes PullDescriptor[pieces].
   *
   * @param to at least {@link #bytes} long
   */
  private void write(MemorySegment to) {
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
