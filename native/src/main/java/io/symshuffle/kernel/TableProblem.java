// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

/** What is wrong with a serialized table, in the order of layout.h. */
enum TableProblem {
  /** Nothing. */
  NONE("is right"),
  MISALIGNED("has an address that is not a multiple of 4"),
  SHORT("ends in its header"),
  MAGIC("does not start with the format's magic number"),
  ROWS("has an unexpected number of rows or an invalid first row"),
  COLUMNS("does not have the number of columns of its schema"),
  SECTIONS("has inconsistent section lengths"),
  VALIDITY_BYTES("has a validity buffer of the wrong length for its columns"),
  OFFSET_BYTES("has offsets of the wrong length for its columns"),
  DATA_BYTES("has data of the wrong length for its columns"),
  OFFSETS("has decreasing or negative offsets of strings or lists"),
  BATCH(
      "has a number of rows just below a multiple of 8,388,608, for which RAPIDS' assembly reads"
          + " beyond the validity buffer"),
  /** A code that this class does not know. */
  UNKNOWN("has an unknown problem");

  private final String text;

  TableProblem(String text) {
    this.text = text;
  }

  static TableProblem of(int code) {
    return code >= 0 && code < values().length ? values()[code] : UNKNOWN;
  }

  /** Returns a sentence without subject and period. */
  String text() {
    return text;
  }
}
