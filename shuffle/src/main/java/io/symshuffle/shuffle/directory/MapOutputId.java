// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

/**
 * Identifies a map output; unique for each attempt of a map task.
 *
 * @param mapId Spark's map task id, the id of the task attempt
 */
public record MapOutputId(int shuffleId, long mapId) {
  @Override
  public String toString() {
    return "map output " + mapId + " of shuffle " + shuffleId;
  }
}
