// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The order of things that are compared in rounds. What runs first in one round runs last in the
 * next, so that none of them profits from what the others have warmed up.
 */
public final class Turns {
  private Turns() {}

  /** Returns all things in the order of a round, the first of which is 0. */
  public static <T> List<T> order(List<T> all, int round) {
    return IntStream.range(0, all.size()).mapToObj(i -> all.get((i + round) % all.size())).toList();
  }
}
