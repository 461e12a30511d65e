// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device.nvshmem;

import io.symshuffle.nvshmem.UniqueId;
import io.symshuffle.plugin.device.DeviceInstruction;
import io.symshuffle.plugin.device.DeviceInstruction.Active;
import io.symshuffle.plugin.device.DeviceInstruction.CreateId;
import io.symshuffle.plugin.device.DeviceInstruction.HostHeap;
import io.symshuffle.plugin.device.DeviceInstruction.Start;
import io.symshuffle.plugin.device.DeviceInstruction.Wait;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The driver's view of the executors of one machine that start their device heaps together: a
 * sealed list, which nobody joins later. The first one creates the unique id; all start with it;
 * when all have started, the epoch is active. If one of them fails, is lost or is late before that,
 * none has a device heap.
 *
 * <p>Not thread-safe and without a clock: its owner passes the time.
 */
final class NvshmemEpoch {
  enum Phase {
    /** The first PE creates the unique id. */
    CREATING_ID,
    /** All PEs start. */
    STARTING,
    /** All have started. */
    ACTIVE,
    /** The start failed. */
    FAILED
  }

  private final List<Participant> participants;
  private final int[] pes;
  private final long windowBytes;
  private final long deadlineNanos;
  private final Set<String> ready = new HashSet<>();
  private Phase phase = Phase.CREATING_ID;
  private UniqueId id;
  private String reason;

  /**
   * @param participants at least one, in the order of their numbers
   * @param deadlineNanos when the start fails if not all have started
   */
  NvshmemEpoch(List<Participant> participants, long deadlineNanos) {
    this.participants = List.copyOf(participants);
    this.pes = participants.stream().mapToInt(Participant::pe).toArray();
    this.windowBytes =
        participants.stream().mapToLong(each -> each.gpu().windowBytes()).min().orElseThrow();
    this.deadlineNanos = deadlineNanos;
  }

  Phase phase() {
    return phase;
  }

  /** Why the start failed; empty if it has not. */
  Optional<String> reason() {
    return Optional.ofNullable(reason);
  }

  List<Participant> participants() {
    return participants;
  }

  long windowBytes() {
    return windowBytes;
  }

  /** What an executor of this epoch has to do now. */
  DeviceInstruction instruction(String executorId) {
    int index = indexOf(executorId);
    return switch (phase) {
      case CREATING_ID -> index == 0 ? new CreateId() : new Wait();
      case STARTING ->
          ready.contains(executorId) ? new Wait() : new Start(id, index, pes, windowBytes);
      case ACTIVE -> new Active();
      case FAILED -> new HostHeap(reason, false);
    };
  }

  void idCreated(String executorId, UniqueId created) {
    // Ignored if repeated after a lost answer: it is the same id.
    if (phase == Phase.CREATING_ID && indexOf(executorId) == 0) {
      id = created;
      phase = Phase.STARTING;
    }
  }

  /** An executor could not start. */
  void failed(String executorId, String why) {
    fail("%s cannot start: %s".formatted(nameOf(executorId), why));
  }

  void started(String executorId) {
    if (phase == Phase.STARTING) {
      ready.add(executorId);
      if (ready.size() == participants.size()) {
        phase = Phase.ACTIVE;
      }
    }
  }

  /** Spark removed an executor. */
  void executorLost(String executorId) {
    fail("%s was lost while device heaps were starting".formatted(nameOf(executorId)));
  }

  /** Fails the start if it is late. */
  void checkDeadline(long nowNanos, long limitMillis) {
    if (phase != Phase.ACTIVE && phase != Phase.FAILED && nowNanos - deadlineNanos >= 0) {
      fail(
          "%s had not started within %d ms"
              .formatted(
                  participants.stream()
                      .filter(each -> !ready.contains(each.executorId()))
                      .map(Participant::name)
                      .collect(Collectors.joining(", ")),
                  limitMillis));
    }
  }

  private void fail(String why) {
    if (phase != Phase.ACTIVE && phase != Phase.FAILED) {
      phase = Phase.FAILED;
      reason = why;
    }
  }

  private int indexOf(String executorId) {
    for (int index = 0; index < participants.size(); index++) {
      if (participants.get(index).executorId().equals(executorId)) {
        return index;
      }
    }
    throw new IllegalArgumentException("executor %s is not in this epoch".formatted(executorId));
  }

  private String nameOf(String executorId) {
    return participants.get(indexOf(executorId)).name();
  }
}
