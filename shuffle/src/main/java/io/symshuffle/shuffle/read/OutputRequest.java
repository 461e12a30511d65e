// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.read.AnswerSources.Server;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a reduce task asks an executor for in one block: its partitions of some map outputs.
 *
 * @param range a range of map tasks; the executor answers with all that it has of them
 * @param sources the map outputs that the task reads, by map task id, at least one; the answer may
 *     contain others, such as those of repeated attempts
 */
record OutputRequest(Server server, MapIdRange range, Map<Long, MapSource> sources) {
  OutputRequest {
    sources = Map.copyOf(sources);
    if (sources.isEmpty()) {
      throw new IllegalArgumentException("nothing is asked for");
    }
  }

  /** The map output with the lowest id, to which damage of the whole answer is attributed. */
  MapSource first() {
    return new TreeMap<>(sources).firstEntry().getValue();
  }

  /**
   * A map output as what the executor that was asked failed to send. Spark then gives up this
   * executor's map outputs, and not those of the owner, if that is another one.
   */
  MapSource unsent(MapSource source) {
    return new MapSource(server.address(), source.mapId(), source.mapIndex());
  }
}
