// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

/** What a collective reduces; values are in the byte order of the machine. */
public enum ElementType {
  /** 4 bytes, a Java {@code float}. */
  FLOAT(Float.BYTES),
  /** 8 bytes, a Java {@code double}. */
  DOUBLE(Double.BYTES),
  /** 4 bytes, a Java {@code int}. */
  INT(Integer.BYTES),
  /** 8 bytes, a Java {@code long}. */
  LONG(Long.BYTES);

  private final int bytes;

  ElementType(int bytes) {
    this.bytes = bytes;
  }

  /** Returns the length of an element in bytes. */
  public int bytes() {
    return bytes;
  }
}
