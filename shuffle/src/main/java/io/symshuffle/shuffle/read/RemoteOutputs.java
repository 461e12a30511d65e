// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import java.util.List;
import org.apache.spark.storage.BlockManagerId;

/**
 * Map outputs of one owner that a reduce task fetches through Spark's block transfer.
 *
 * @param address the owner
 * @param maps the map outputs, at least one
 */
record RemoteOutputs(BlockManagerId address, List<Sized> maps) {
  RemoteOutputs {
    requireNonNull(address, "address is null");
    maps = List.copyOf(maps);
  }

  /**
   * A map output.
   *
   * @param bytes the size of the task's partitions in it that Spark's tracker has: an estimate of
   *     their compressed size
   */
  record Sized(MapSource map, long bytes) {
    Sized {
      requireNonNull(map, "map is null");
    }
  }

  /** {@return the size of the task's partitions in all of them, as Spark's tracker estimates it} */
  long bytes() {
    return maps.stream().mapToLong(Sized::bytes).sum();
  }
}
