// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import java.util.List;

/** Takes the map outputs that a reduce task reads in place. */
@FunctionalInterface
public interface LocalReads {
  /**
   * Takes map outputs of one owner.
   *
   * @return false, with nothing taken, if some of their data is out of reach here: all of them come
   *     through Spark's block transfer then
   */
  boolean take(List<LocalSource> ofOwner);
}
