// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import java.io.IOException;

/**
 * Receives the results so far, in case the run is interrupted.
 *
 * @param <R> the report
 */
@FunctionalInterface
public interface Progress<R extends Record> {
  /**
   * Called after each job or execution.
   *
   * @throws IOException if the report cannot be written
   */
  void reached(R soFar) throws IOException;
}
