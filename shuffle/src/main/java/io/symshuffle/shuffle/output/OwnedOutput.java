// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.directory.MapOutputId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The memory and the file of one of this PE's map outputs.
 *
 * @param hostSlabs slabs of the host heap, including the index
 * @param deviceSlabs slabs of the device heap
 * @param file its file, if it has one
 */
public record OwnedOutput(
    MapOutputId id, List<Slab> hostSlabs, List<Slab> deviceSlabs, Optional<Path> file) {
  public OwnedOutput {
    hostSlabs = List.copyOf(hostSlabs);
    deviceSlabs = List.copyOf(deviceSlabs);
  }
}
