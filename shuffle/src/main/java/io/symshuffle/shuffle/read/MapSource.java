// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import org.apache.spark.storage.BlockManagerId;

/**
 * A map output that a reduce task must read.
 *
 * @param address its owner, the same object that Spark's tracker returned: a fetch failure must
 *     name it
 * @param mapIndex index of the map task in its stage
 */
public record MapSource(BlockManagerId address, long mapId, int mapIndex) {}
