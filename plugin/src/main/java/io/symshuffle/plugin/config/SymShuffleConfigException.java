// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.util.List;

/**
 * The settings of the application are such that SymShuffle cannot start with them. Thrown by the
 * driver's plugin, so that the {@code SparkContext} fails with it; the first line of the message
 * stands alone.
 */
public final class SymShuffleConfigException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> problems;

  /**
   * Makes an exception from all that is wrong.
   *
   * @param problems one sentence a wrong setting, at least one
   */
  public SymShuffleConfigException(List<String> problems) {
    super(message(problems));
    this.problems = List.copyOf(problems);
  }

  /**
   * What is wrong.
   *
   * @return one sentence a wrong setting; empty after the exception was sent elsewhere
   */
  public List<String> problems() {
    return problems == null ? List.of() : problems;
  }

  private static String message(List<String> problems) {
    if (problems.size() == 1) {
      return "SymShuffle cannot start: " + problems.getFirst();
    }
    return "SymShuffle cannot start, "
        + problems.size()
        + " settings are wrong:\n  "
        + String.join("\n  ", problems);
  }
}
