// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.util.List;

/**
 * SymShuffle cannot start with the application's settings. Thrown by the driver plugin, so the
 * {@code SparkContext} fails with it.
 */
public final class SymShuffleConfigException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final transient List<String> problems;

  /**
   * @param problems one sentence per wrong setting, at least one
   */
  public SymShuffleConfigException(List<String> problems) {
    super(message(problems));
    this.problems = List.copyOf(problems);
  }

  /** Returns one sentence per wrong setting; empty after serialization. */
  public List<String> problems() {
    return problems == null ? List.of() : problems;
  }

  private static String message(List<String> problems) {
    if (problems.size() == 1) {
      return "SymShuffle cannot start: " + problems.getFirst();
    }
    return "SymShuffle cannot start: "
        + problems.size()
        + " settings are wrong:\n  "
        + String.join("\n  ", problems);
  }
}
