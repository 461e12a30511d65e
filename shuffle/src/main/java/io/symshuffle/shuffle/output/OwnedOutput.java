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
 * @param slabs what lies in the HOST tier, and the index
 * @param deviceSlabs what lies in the DEVICE tier
 * @param file what lies in the DISK tier, if there is anything
 */
record OwnedOutput(MapOutputId id, List<Slab> slabs, List<Slab> deviceSlabs, Optional<Path> file) {}
