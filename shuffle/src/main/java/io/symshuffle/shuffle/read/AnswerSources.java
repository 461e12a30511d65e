// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.runtime.PeTable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.storage.BlockManagerId;

/**
 * The executors that a reduce task asks for map outputs on other hosts: a living one of each, which
 * reads the heaps of all others there, also of dead ones. Tasks ask different ones. An executor
 * whose heap nobody else reads answers for itself.
 *
 * <p>If an executor cannot read the heap of another one, although both use the same folder, a task
 * that asks it fails. So when a stage runs again, its tasks ask each living owner itself, as they
 * do if executors do not map each other's heaps.
 *
 * @param peers what is known about executors
 * @param task the task's id, which chooses among executors of a host
 * @param direct whether living owners are asked themselves
 */
record AnswerSources(PeTable peers, String self, long task, boolean direct) {
  /**
   * An executor that is asked.
   *
   * @param ofHost whether it answers for all executors of its host
   */
  record Server(BlockManagerId address, boolean ofHost) {}

  /**
   * Joins what the same executor answers.
   *
   * @param owners map outputs by owner, in the order of reading; each asks its owner
   * @param executors looks up the executors that Spark knows, for hosts on which no owner is alive
   * @return the map outputs by the executor to ask
   */
  List<RemoteOutputs> join(List<RemoteOutputs> owners, Supplier<List<BlockManagerId>> executors) {
    Map<String, List<RemoteOutputs>> byFolder = new LinkedHashMap<>();
    for (RemoteOutputs ofOwner : owners) {
      byFolder.computeIfAbsent(group(ofOwner), key -> new ArrayList<>()).add(ofOwner);
    }
    List<RemoteOutputs> joined = new ArrayList<>();
    for (List<RemoteOutputs> group : byFolder.values()) {
      Optional<BlockManagerId> server =
          isAlone(group.getFirst()) ? Optional.empty() : server(group, executors);
      if (server.isEmpty()) {
        joined.addAll(group);
      } else {
        joined.add(
            new RemoteOutputs(
                new Server(server.get(), true),
                group.stream().flatMap(ofOwner -> ofOwner.maps().stream()).toList()));
      }
    }
    return joined;
  }

  /**
   * Another executor that answers for a host.
   *
   * @param executorId one that was asked and has not answered
   * @param executors looks up the executors that Spark knows
   */
  Optional<BlockManagerId> substitute(String executorId, Supplier<List<BlockManagerId>> executors) {
    return choose(
        living(peers.heapFolder(executorId), executors.get()).stream()
            .filter(address -> !address.executorId().equals(executorId))
            .toList());
  }

  /**
   * Returns the executor to ask now: the same one, or if it is lost another one that answers for
   * its host.
   *
   * @param executors looks up the executors that Spark knows
   * @return empty if no living executor answers
   */
  Optional<BlockManagerId> living(Server server, Supplier<List<BlockManagerId>> executors) {
    if (!isLost(server.address())) {
      return Optional.of(server.address());
    }
    return server.ofHost()
        ? substitute(server.address().executorId(), executors)
        : Optional.empty();
  }

  /** Whether the map outputs of an owner are among what an executor answers. */
  boolean answers(Server server, BlockManagerId owner) {
    return server.ofHost()
        ? folder(server.address()).equals(folder(owner))
        : server.address().equals(owner);
  }

  /** Equal for owners whose map outputs one executor answers. */
  private String group(RemoteOutputs ofOwner) {
    BlockManagerId owner = ofOwner.server().address();
    return isAlone(ofOwner) ? "executor " + owner.executorId() : "folder " + folder(owner);
  }

  /** Whether only the owner is asked for its map outputs. */
  private boolean isAlone(RemoteOutputs ofOwner) {
    BlockManagerId owner = ofOwner.server().address();
    String folder = folder(owner);
    return folder.isEmpty()
        // Its heap should be mapped here. As it is not, another one may not map it either.
        || folder.equals(peers.heapFolder(self))
        || (direct && !isLost(owner));
  }

  /** A living executor that reads the heaps of these owners; the same for the same task. */
  private Optional<BlockManagerId> server(
      List<RemoteOutputs> group, Supplier<List<BlockManagerId>> executors) {
    String folder = folder(group.getFirst().server().address());
    List<BlockManagerId> living =
        living(folder, group.stream().map(ofOwner -> ofOwner.server().address()).toList());
    if (living.isEmpty()) {
      living = living(folder, executors.get());
    }
    return choose(living);
  }

  private Optional<BlockManagerId> choose(List<BlockManagerId> living) {
    return living.isEmpty()
        ? Optional.empty()
        : Optional.of(living.get(Math.floorMod(task, living.size())));
  }

  private List<BlockManagerId> living(String folder, List<BlockManagerId> addresses) {
    return addresses.stream()
        .filter(address -> !isLost(address) && folder(address).equals(folder))
        .sorted(Comparator.comparing(BlockManagerId::executorId))
        .toList();
  }

  private boolean isLost(BlockManagerId address) {
    return peers.isLost(address.executorId());
  }

  private String folder(BlockManagerId address) {
    return peers.heapFolder(address.executorId());
  }
}
