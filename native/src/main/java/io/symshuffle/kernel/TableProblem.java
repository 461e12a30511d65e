// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

/** What is wrong with a serialized table, in the order of layout.h. */
enum TableProblem {
  /** Nothing. */
  NONE("is right"),
  MISALIGNED("has an address that is not a multiple of 4"),
  SHORT("ends in its header"),
  MAGIC("does not start with the number of the format"),
  ROWS("does not have the rows that were announced"),
  COLUMNS("does not have the columns of the schema"),
  SECTIONS("has lengths of sections that contradict each other or its own length"),
  VALIDITY_BYTES("has a validity of another length than its columns need"),
  OFFSET_BYTES("has offsets of another length than its columns need"),
  DATA_BYTES("has data of another length than its columns need"),
  OFFSETS("has offsets of strings or lists that descend or are negative"),
  BATCH(
      "has a number of rows just below a multiple of 8,388,608, for which RAPIDS' assembly reads"
          + " beyond the validity"),
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
