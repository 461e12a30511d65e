// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import org.apache.commons.lang3.exception.ExceptionUtils;

/** A line that describes why a query failed. */
final class FailureText {
  private static final int MAX_CHARACTERS = 400;

  private FailureText() {}

  /** Returns the first line of the failure and of its root cause, if any. */
  static String of(Throwable failure) {
    String text = firstLine(failure);
    return failure.getCause() == null
        ? text
        : text + " (cause: " + firstLine(ExceptionUtils.getRootCause(failure)) + ")";
  }

  private static String firstLine(Throwable failure) {
    String line = failure.toString().lines().findFirst().orElse("");
    return line.length() <= MAX_CHARACTERS ? line : line.substring(0, MAX_CHARACTERS) + "...";
  }
}
