// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/** The kind of a map output, stored in its directory entry. */
public enum OutputKind {
  /** Runs of records, listed by a {@link RunIndexDescriptor}. */
  ROWS(1),
  /** Packed tables of a columnar engine, listed by a {@link TableIndexDescriptor}. */
  TABLES(2);

  private final int code;

  OutputKind(int code) {
    this.code = code;
  }

  /** The number of the kind in layouts; never 0, so that zeroed memory is not a valid kind. */
  public int code() {
    return code;
  }

  /**
   * Returns the kind with a number.
   *
   * @throws IllegalArgumentException if there is no such kind
   */
  public static OutputKind ofCode(int code) {
    return switch (code) {
      case 1 -> ROWS;
      case 2 -> TABLES;
      default ->
          throw new IllegalArgumentException("map output kind %d does not exist".formatted(code));
    };
  }
}
