// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The table that a fatbin exports as {@code symshuffle_layout} (LayoutTable in layout.h): the sizes
 * of the structs that it shares with the host, which the host compares with its own.
 *
 * @param magic {@link #MAGIC}
 * @param version {@link #VERSION}
 * @param unitBytes {@link #UNIT_BYTES}
 * @param ctaThreads threads per CTA, unless a kernel says otherwise
 * @param structSizes size of each struct in bytes
 */
record KernelLayout(
    int magic, int version, int unitBytes, int ctaThreads, List<Integer> structSizes) {

  static final String VARIABLE = "symshuffle_layout";
  static final int MAGIC = 0x4c4d5953;
  static final int VERSION = 12;

  /** Bytes of a unit of work; see geometry.h. */
  static final int UNIT_BYTES = 2048;

  private static final int HEADER_WORDS = 5;

  /** Reads the table; a truncated one has fewer sizes. */
  static KernelLayout read(MemorySegment table) {
    long words = table.byteSize() / Integer.BYTES;
    if (words < HEADER_WORDS) {
      return new KernelLayout(0, 0, 0, 0, List.of());
    }
    int structs = table.getAtIndex(JAVA_INT, HEADER_WORDS - 1);
    return new KernelLayout(
        table.getAtIndex(JAVA_INT, 0),
        table.getAtIndex(JAVA_INT, 1),
        table.getAtIndex(JAVA_INT, 2),
        table.getAtIndex(JAVA_INT, 3),
        structSizes(table, structs));
  }

  private static List<Integer> structSizes(MemorySegment table, int count) {
    List<Integer> sizes = new ArrayList<>();
    long end = Math.min((long) HEADER_WORDS + count, table.byteSize() / Integer.BYTES);
    for (long i = HEADER_WORDS; i < end; i++) {
      sizes.add(table.getAtIndex(JAVA_INT, i));
    }
    return sizes;
  }

  /** Returns the first difference between the fatbin and the host's structs, as a sentence. */
  Optional<String> mismatch(List<Class<? extends Record>> structs) {
    if (magic != MAGIC) {
      return Optional.of(
          "the kernels' layout table starts with %x, not %x".formatted(magic, MAGIC));
    }
    if (version != VERSION || unitBytes != UNIT_BYTES) {
      return Optional.of(
          "the kernels have layout version %d with units of %d bytes, but this code has version %d with units of %d"
              .formatted(version, unitBytes, VERSION, UNIT_BYTES));
    }
    if (structSizes.size() != structs.size()) {
      return Optional.of(
          "the kernels share %d structs, but this code shares %d"
              .formatted(structSizes.size(), structs.size()));
    }
    for (int i = 0; i < structs.size(); i++) {
      long size = DeviceStruct.layout(structs.get(i)).byteSize();
      if (structSizes.get(i) != size) {
        return Optional.of(
            "%s has %d bytes in the kernels but %d in this code"
                .formatted(structs.get(i).getSimpleName(), structSizes.get(i), size));
      }
    }
    return Optional.empty();
  }
}
