// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.MapIdRange;
import java.io.IOException;
import java.util.NavigableSet;
import java.util.Optional;

/** Finds map outputs of the PEs of this host. Thread-safe. */
public interface OutputLookup {
  /**
   * The map tasks in a range whose map outputs a PE has published, ascending. The caller must hold
   * a lease on their shuffle.
   *
   * @return nothing if the PE's window is not mapped
   * @throws io.symshuffle.shuffle.directory.CorruptControlException if its directory is damaged
   */
  NavigableSet<Long> published(int pe, int shuffleId, MapIdRange range);

  /**
   * Finds a map output. The caller must hold a lease on its shuffle.
   *
   * @return empty if the owner's window is not mapped, or it has no such map output
   * @throws CorruptIndexException if its index is damaged
   * @throws io.symshuffle.shuffle.directory.CorruptControlException if the owner's directory is
   *     damaged
   * @throws DiskNotVisibleException if its index is on a disk that this process does not see
   * @throws IOException if its index is on disk and cannot be read
   */
  Optional<MapOutput> find(int pe, MapOutputId id) throws IOException;

  /** Drops the cached indexes of a shuffle. */
  void forget(int shuffleId);
}
