// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import java.io.IOException;

/** Where a long request says how far it is. */
@FunctionalInterface
public interface ProgressSink {
  /**
   * Takes one step.
   *
   * @throws IOException if nobody listens any more
   */
  void accept(Reply.Progress progress) throws IOException;
}
