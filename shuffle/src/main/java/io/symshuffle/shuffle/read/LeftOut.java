// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.read.Servers.Server;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;

/**
 * The map outputs that answers have left out, which the task asks for again. Used by one task
 * thread.
 */
final class LeftOut {
  private final Map<Server, OfServer> servers = new LinkedHashMap<>();

  /**
   * What one executor left out.
   *
   * @param maps the map outputs that the task reads
   * @param all all map outputs that the executor's answers listed
   */
  private record OfServer(List<RemoteOutputs.Sized> maps, NavigableSet<Long> all) {}

  /** Adds what an answer has left out, as far as the task reads it. */
  void add(Asked asked, AnswerContents answer) {
    if (answer.leftOut().isEmpty()) {
      return;
    }
    OfServer ofServer =
        servers.computeIfAbsent(
            asked.server(), server -> new OfServer(new ArrayList<>(), new TreeSet<>()));
    for (long mapId : answer.mapIds()) {
      ofServer.all.add(mapId);
    }
    answer
        .leftOut()
        .forEach(
            (mapId, bytes) -> {
              ofServer.all.add(mapId);
              MapSource source = asked.sources().get(mapId);
              if (source != null) {
                ofServer.maps.add(new RemoteOutputs.Sized(source, bytes));
              }
            });
  }

  /** Plans the requests for what was left out; empty afterwards. */
  FetchPlan plan(ReadRequest request) {
    List<RemoteOutputs> remote = new ArrayList<>();
    servers.forEach(
        (server, ofServer) -> {
          if (!ofServer.maps.isEmpty()) {
            remote.add(new RemoteOutputs(server, ofServer.maps));
          }
        });
    Map<Server, OfServer> all = Map.copyOf(servers);
    servers.clear();
    return FetchPlan.ofLeftOut(
        request, remote, server -> requireNonNull(all.get(server), "an unknown server").all);
  }
}
