// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.directory.MapOutputId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a map output holds of this PE's memory and disk.
 *
 * @param id its name
 * @param slabs runs of the HOST tier and the index
 * @param file runs of the DISK tier, if there are any
 */
record OwnedOutput(MapOutputId id, List<Slab> slabs, Optional<Path> file) {}
