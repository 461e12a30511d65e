// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import java.util.List;

/**
 * The arguments of an all-reduce. All PEs launch it with the same ones, except for their own
 * number, the addresses and {@code stop}; and with the same number of CTAs.
 *
 * @param memories where this GPU addresses the memory of each PE, 16-byte aligned; the first {@link
 *     #CONTROL_BYTES} bytes are zeros before the first launch, and belong to the kernel
 * @param pe the number of this PE in {@code memories}
 * @param type of the elements
 * @param offset of the first element from the beginning of each memory, a multiple of its length
 * @param count number of elements, 0 or more
 * @param number of the launch: 1, 2 and so on with the same memories
 * @param oneShot whether each PE reads all elements of all PEs, which is faster for few bytes;
 *     otherwise it reduces only a part, and copies the others
 * @param ctas number of CTAs, at most {@link Kernels#allReduceCtas} of each PE's GPU
 * @param stop address of a 64-bit word of the host that the GPU can read: if it is not 0, all waits
 *     for other PEs end
 * @param limitNanoseconds when all waits end otherwise, since the beginning
 */
public record AllReduce(
    List<Long> memories,
    int pe,
    Type type,
    Operation operation,
    long offset,
    long count,
    long number,
    boolean oneShot,
    int ctas,
    long stop,
    long limitNanoseconds) {

  /** The most CTAs. */
  static final int MAX_CTAS = 64;

  /** A flag of each CTA, in lines of 128 bytes. */
  public static final int CONTROL_BYTES = MAX_CTAS * 128;

  /** What is reduced, in the order of layout.h. */
  public enum Type {
    /** 4 bytes. */
    FLOAT(0),
    /** 8 bytes. */
    DOUBLE(1),
    /** 4 bytes. */
    INT(2),
    /** 8 bytes. */
    LONG(3);

    final int code;

    Type(int code) {
      this.code = code;
    }
  }

  /** How, in the order of layout.h. */
  public enum Operation {
    /** Of integers modulo 2 to the 32 or 64. */
    SUM(0),
    /** As {@link Math#min(double, double)}. */
    MIN(1),
    /** As {@link Math#max(double, double)}. */
    MAX(2);

    final int code;

    Operation(int code) {
      this.code = code;
    }
  }
}
