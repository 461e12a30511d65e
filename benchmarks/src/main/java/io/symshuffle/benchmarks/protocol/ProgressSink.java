// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import java.io.IOException;

/** Receives the progress of a long request. */
@FunctionalInterface
public interface ProgressSink {
  /**
   * Receives a step.
   *
   * @throws IOException if the connection is closed
   */
  void accept(Reply.Progress progress) throws IOException;
}
