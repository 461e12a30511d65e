// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.read.AnswerSources.Server;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * The map outputs that answers have left out, which the task asks for again: the same executor, if
 * its answer had no room for them, or their owner, if another executor of its host cannot read
 * them. Used by one task thread.
 */
final class LeftOut {
  private final Map<Server, OfServer> servers = new LinkedHashMap<>();

  /**
   * What one executor is asked for again.
   *
   * @param maps the map outputs that the task reads
   * @param all all map outputs that the executor is known to have
   */
  private record OfServer(List<RemoteOutputs.Sized> maps, NavigableSet<Long> all) {}

  /** Adds what an answer has left out, as far as the task reads it. */
  void add(OutputRequest asked, AnswerContents answer) {
    if (answer.leftOut().isEmpty()) {
      return;
    }
    OfServer ofServer = of(asked.server());
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

  /**
   * Adds what an executor cannot read, and its owner is asked for.
   *
   * @param mapIds what the answer has not listed, although the task reads it
   * @param bytes an estimate of the size of each, in bytes: the owner's answer tells the sizes of
   *     those for which there is no room
   */
  void addUnreadable(OutputRequest asked, Set<Long> mapIds, long bytes) {
    for (long mapId : mapIds) {
      MapSource source = asked.sources().get(mapId);
      OfServer ofOwner = of(new Server(source.address(), false));
      ofOwner.maps.add(new RemoteOutputs.Sized(source, bytes));
      // The owner has these, too, and would send again what the task has.
      asked.sources().values().stream()
          .filter(other -> other.address().equals(source.address()))
          .forEach(other -> ofOwner.all.add(other.mapId()));
    }
  }

  private OfServer of(Server server) {
    return servers.computeIfAbsent(server, key -> new OfServer(new ArrayList<>(), new TreeSet<>()));
  }

  /** Plans the requests for what was left out; nothing is left out afterwards. */
  FetchPlan plan(ReadRequest request) {
    List<RemoteOutputs> remote = new ArrayList<>();
    servers.forEach(
        (server, ofServer) -> {
          if (!ofServer.maps.isEmpty()) {
            remote.add(new RemoteOutputs(server, ofServer.maps));
            ofServer.maps.clear();
          }
        });
    return FetchPlan.ofLeftOut(
        request, remote, server -> requireNonNull(servers.get(server), "an unknown server").all);
  }
}
