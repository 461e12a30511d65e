// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.read.AnswerSources.Server;
import java.util.List;
import org.apache.spark.storage.BlockManagerId;

/**
 * Map outputs that a reduce task fetches from one executor through Spark's block transfer.
 *
 * @param server the executor that it asks
 * @param maps the map outputs, at least one
 */
record RemoteOutputs(Server server, List<Sized> maps) {
  RemoteOutputs {
    maps = List.copyOf(maps);
  }

  /** Map outputs that the task asks their owner for. */
  static RemoteOutputs of(BlockManagerId owner, List<Sized> maps) {
    return new RemoteOutputs(new Server(owner, false), maps);
  }

  /**
   * A map output.
   *
   * @param bytes the size of the task's partitions in it that Spark's tracker has: an estimate of
   *     their compressed size
   */
  record Sized(MapSource map, long bytes) {}
}
