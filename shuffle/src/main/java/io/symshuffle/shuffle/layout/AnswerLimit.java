// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/**
 * How many bytes of frames a reduce task accepts in one answer, as a code of 7 bits: 64 KiB for 0,
 * and up to a quarter more for each following code.
 */
public final class AnswerLimit {
  static final int CODE_BITS = 7;

  private static final int CODES = 1 << CODE_BITS;

  /** The largest limit; no map output has more bytes. */
  public static final long MAX_BYTES = bytes(CODES - 1);

  private AnswerLimit() {}

  /**
   * The smallest limit that is at least {@code bytes}, or the largest one.
   *
   * @param bytes any number
   */
  public static long atLeast(long bytes) {
    return bytes(code(bytes));
  }

  /** The code of the smallest limit that is at least {@code bytes}, or of the largest one. */
  static int code(long bytes) {
    int code = 0;
    while (code < CODES - 1 && bytes(code) < bytes) {
      code++;
    }
    return code;
  }

  /** The limit of a code. */
  static long bytes(int code) {
    return (4L + (code & 3)) << (14 + (code >>> 2));
  }
}
