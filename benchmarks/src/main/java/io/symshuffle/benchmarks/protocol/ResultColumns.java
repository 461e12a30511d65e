// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import java.util.List;

/**
 * What a comparison must know of the columns of a result; they count from 0.
 *
 * @param keys those that the outermost ORDER BY names, as far as the result has them; empty if it
 *     has none
 * @param doubles those of floating point, whose last digits depend on the order of additions
 */
public record ResultColumns(List<Integer> keys, List<Integer> doubles) {
  /** A result without order, or one in which any order will do, whose values are exact. */
  public static final ResultColumns PLAIN = new ResultColumns(List.of(), List.of());
}
