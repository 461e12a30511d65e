// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import java.io.IOException;

/** Publishes map outputs of one PE to the PEs of its host. Thread-safe. */
public interface OutputDirectory {
  /**
   * Publishes a map output. Everything written to memory before this call is visible to readers
   * that find the entry.
   *
   * @throws IllegalStateException if a map output with this id is already published, or the
   *     directory is full
   * @throws IOException if it cannot be published now
   */
  void publish(MapOutputId id, IndexPlace place) throws IOException;

  /**
   * Hides a map output: lookups from now on do not find it. Its memory and files must stay valid
   * until all leases on its shuffle are closed.
   */
  boolean erase(MapOutputId id);
}
