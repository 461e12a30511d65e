// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import java.util.List;

/** Collects the map outputs that a reduce task reads in place. */
@FunctionalInterface
public interface LocalReads {
  /**
   * Adds map outputs of one owner.
   *
   * @return false, without adding any, if some of their data cannot be read in place: all of them
   *     are then fetched through Spark's block transfer
   */
  boolean tryAdd(List<LocalSource> ofOwner);
}
