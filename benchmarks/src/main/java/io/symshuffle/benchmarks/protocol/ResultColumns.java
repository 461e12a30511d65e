// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import java.util.List;

/**
 * Numbers of columns of a result, from 0, that matter in comparisons.
 *
 * @param keys columns of the outermost ORDER BY that are in the result
 * @param doubles floating-point columns, whose last digits depend on the order of additions
 */
public record ResultColumns(List<Integer> keys, List<Integer> doubles) {
  /** A result with exact values and in any order. */
  public static final ResultColumns PLAIN = new ResultColumns(List.of(), List.of());
}
