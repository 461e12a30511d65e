// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import io.symshuffle.nvshmem.UniqueId;
import io.symshuffle.plugin.device.DeviceNews.Active;
import io.symshuffle.plugin.device.DeviceNews.HostHeap;
import io.symshuffle.plugin.device.DeviceNews.MakeId;
import io.symshuffle.plugin.device.DeviceNews.Start;
import io.symshuffle.plugin.device.DeviceNews.Wait;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The driver's picture of the executors of one machine that start their device heaps together: a
 * sealed list, which nobody joins later. The first one makes the unique id; all start with it; when
 * all have come through the epoch is active. If one of them fails, is lost or is late before that,
 * none has a device heap.
 *
 * <p>Knows neither threads nor clocks: its owner calls it one call at a time and says what time it
 * is.
 */
final class DeviceEpoch {
  /** Where it stands. */
  enum Phase {
    /** The first PE is to make the unique id. */
    NAMING,
    /** All PEs are to start. */
    STARTING,
    /** All have started. */
    ACTIVE,
    /** It came to nothing. */
    OFF
  }

  private final List<Participant> participants;
  private final int[] pes;
  private final long windowBytes;
  private final long deadlineNanos;
  private final Set<String> ready = new HashSet<>();
  private Phase phase = Phase.NAMING;
  private UniqueId id;
  private String reason;

  /**
   * Seals an epoch.
   *
   * @param participants at least one, in the order of their numbers
   * @param deadlineNanos until when all have to have started
   */
  DeviceEpoch(List<Participant> participants, long deadlineNanos) {
    this.participants = List.copyOf(participants);
    this.pes = participants.stream().mapToInt(Participant::pe).toArray();
    this.windowBytes =
        participants.stream().mapToLong(each -> each.gpu().windowBytes()).min().orElseThrow();
    this.deadlineNanos = deadlineNanos;
  }

  Phase phase() {
    return phase;
  }

  /** Why it came to nothing, if it did. */
  Optional<String> reason() {
    return Optional.ofNullable(reason);
  }

  List<Participant> participants() {
    return participants;
  }

  long windowBytes() {
    return windowBytes;
  }

  /** What an executor of this epoch has to know now. */
  DeviceNews news(String executorId) {
    int index = indexOf(executorId);
    return switch (phase) {
      case NAMING -> index == 0 ? new MakeId() : new Wait();
      case STARTING ->
          ready.contains(executorId) ? new Wait() : new Start(id, index, pes, windowBytes);
      case ACTIVE -> new Active();
      case OFF -> new HostHeap(reason, false);
    };
  }

  /** An executor has made the id. */
  void named(String executorId, UniqueId made) {
    // Said twice, after a lost answer, it is the same id.
    if (phase == Phase.NAMING && indexOf(executorId) == 0) {
      id = made;
      phase = Phase.STARTING;
    }
  }

  /** An executor has come through the start, or not. */
  void ended(String executorId, Optional<String> failure) {
    if (failure.isPresent()) {
      fail("%s could not start: %s".formatted(nameOf(executorId), failure.get()));
    } else if (phase == Phase.STARTING) {
      ready.add(executorId);
      if (ready.size() == participants.size()) {
        phase = Phase.ACTIVE;
      }
    }
  }

  /** Spark removed an executor. */
  void lose(String executorId) {
    fail("%s was lost while device heaps were started".formatted(nameOf(executorId)));
  }

  /** Time passes. */
  void look(long nowNanos, long limitMillis) {
    if (phase != Phase.ACTIVE && phase != Phase.OFF && nowNanos - deadlineNanos >= 0) {
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
    if (phase != Phase.ACTIVE && phase != Phase.OFF) {
      phase = Phase.OFF;
      reason = why;
    }
  }

  private int indexOf(String executorId) {
    for (int index = 0; index < participants.size(); index++) {
      if (participants.get(index).executorId().equals(executorId)) {
        return index;
      }
    }
    throw new IllegalArgumentException("Executor %s is of no such epoch".formatted(executorId));
  }

  private String nameOf(String executorId) {
    return participants.get(indexOf(executorId)).name();
  }
}
