// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the fatbin says about itself in its variable {@code symshuffle_layout} (LayoutTable in
 * layout.h): the sizes of the shared structs, to be compared with ours, and the numbers that a
 * launch needs.
 *
 * @param magic {@link #MAGIC}
 * @param version {@link #VERSION}
 * @param unitBytes {@link #UNIT_BYTES}
 * @param ctaThreads threads a CTA of every kernel but pull_tma
 * @param tmaCtaThreads threads a CTA of pull_tma
 * @param tmaSharedBytes dynamic shared memory a CTA of pull_tma
 * @param tmaTileUnits the largest tile of pull_tma, in units
 * @param structSizes bytes of each struct, in the order of {@link KernelStruct#all()}
 */
record KernelLayout(
    int magic,
    int version,
    int unitBytes,
    int ctaThreads,
    int tmaCtaThreads,
    int tmaSharedBytes,
    int tmaTileUnits,
    List<Integer> structSizes) {

  static final String VARIABLE = "symshuffle_layout";
  static final int MAGIC = 0x4c4d5953;
  static final int VERSION = 2;

  /** The unit of planning; see geometry.h. */
  static final int UNIT_BYTES = 2048;

  private static final int HEADER_WORDS = 8;

  KernelLayout {
    structSizes = List.copyOf(structSizes);
  }

  /** Reads the table; one that is cut short gives fewer sizes. */
  static KernelLayout read(MemorySegment table) {
    long words = table.byteSize() / Integer.BYTES;
    if (words < HEADER_WORDS) {
      return new KernelLayout(0, 0, 0, 0, 0, 0, 0, List.of());
    }
    List<Integer> sizes = new ArrayList<>();
    int count = table.getAtIndex(JAVA_INT, HEADER_WORDS - 1);
    for (int i = 0; i < count && HEADER_WORDS + i < words; i++) {
      sizes.add(table.getAtIndex(JAVA_INT, HEADER_WORDS + i));
    }
    return new KernelLayout(
        table.getAtIndex(JAVA_INT, 0),
        table.getAtIndex(JAVA_INT, 1),
        table.getAtIndex(JAVA_INT, 2),
        table.getAtIndex(JAVA_INT, 3),
        table.getAtIndex(JAVA_INT, 4),
        table.getAtIndex(JAVA_INT, 5),
        table.getAtIndex(JAVA_INT, 6),
        sizes);
  }

  /** The first difference to what this class was written for, as a sentence; empty when none. */
  Optional<String> mismatch() {
    if (magic != MAGIC) {
      return Optional.of(
          "the kernels' layout table starts with %x, not %x".formatted(magic, MAGIC));
    }
    if (version != VERSION || unitBytes != UNIT_BYTES) {
      return Optional.of(
          "the kernels have layout version %d with units of %d bytes, and this code has version %d with units of %d"
              .formatted(version, unitBytes, VERSION, UNIT_BYTES));
    }
    List<Class<? extends Record>> structs = KernelStruct.all();
    if (structSizes.size() != structs.size()) {
      return Optional.of(
          "the kernels share %d structs, and this code %d"
              .formatted(structSizes.size(), structs.size()));
    }
    for (int i = 0; i < structs.size(); i++) {
      long ours = KernelStruct.layout(structs.get(i)).byteSize();
      if (structSizes.get(i) != ours) {
        return Optional.of(
            "%s has %d bytes in the kernels and %d here"
                .formatted(structs.get(i).getSimpleName(), structSizes.get(i), ours));
      }
    }
    return Optional.empty();
  }
}
