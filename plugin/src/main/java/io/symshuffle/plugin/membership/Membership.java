// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.plugin.membership.Member.State;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The driver's table of PEs: their numbers, and which are lost. Only this class assigns numbers.
 * Each change begins a new epoch. Independent of Spark. Thread-safe; no call blocks.
 */
public final class Membership {
  @GuardedBy("this")
  private final Map<String, Member> members = new LinkedHashMap<>();

  /** The same, by the epoch of the last change. */
  @GuardedBy("this")
  private final NavigableMap<Long, Member> byChange = new TreeMap<>();

  /** One object per host, so that a serialized change contains each host once. */
  @GuardedBy("this")
  private final Map<HostIdentity, HostIdentity> hosts = new HashMap<>();

  /** The same for folders. */
  @GuardedBy("this")
  private final Map<String, String> folders = new HashMap<>();

  @GuardedBy("this")
  private long epoch;

  /**
   * Adds an executor. The first one becomes PE 0, the next one PE 1, and so on. An executor that
   * joins again, for example after a lost answer, keeps its number.
   *
   * @return its entry, in state JOINED
   */
  public synchronized Member join(String executorId, HostIdentity host) {
    Member known = members.get(executorId);
    if (known != null && known.state() == State.JOINED && known.host().equals(host)) {
      return known;
    }
    int pe = known == null ? members.size() : known.pe();
    HostIdentity shared = hosts.computeIfAbsent(host, same -> same);
    return put(new Member(executorId, pe, shared, "", State.JOINED, epoch + 1));
  }

  /**
   * Marks an executor as lost.
   *
   * @return its entry, now in state LOST; empty if it never joined or is already lost
   */
  public synchronized Optional<Member> markLost(String executorId) {
    Member known = members.get(executorId);
    if (known == null || known.state() == State.LOST) {
      return Optional.empty();
    }
    return Optional.of(put(changed(known, known.heapFolder(), State.LOST)));
  }

  /**
   * Notes the folder of an executor's heap.
   *
   * @param heapFolder identifies the folder
   */
  public synchronized boolean started(String executorId, String heapFolder) {
    Member known = members.get(executorId);
    if (known == null || known.state() == State.LOST || known.heapFolder().equals(heapFolder)) {
      return false;
    }
    put(changed(known, folders.computeIfAbsent(heapFolder, same -> same), State.JOINED));
    return true;
  }

  @GuardedBy("this")
  private Member changed(Member known, String heapFolder, State state) {
    return new Member(known.executorId(), known.pe(), known.host(), heapFolder, state, epoch + 1);
  }

  /** Returns an executor's entry; empty if it never joined. */
  public synchronized Optional<Member> member(String executorId) {
    return Optional.ofNullable(members.get(executorId));
  }

  /**
   * Returns what changed after an epoch.
   *
   * @param since an epoch; one in the future is treated as 0
   * @return the entries that changed since, in the order of their changes, and the current epoch
   */
  public synchronized MembershipChange changesSince(long since) {
    long from = since > epoch ? 0 : since;
    return new MembershipChange(from, epoch, List.copyOf(byChange.tailMap(from, false).values()));
  }

  /** Returns the current epoch: the number of changes so far. */
  public synchronized long epoch() {
    return epoch;
  }

  /** Counts PEs. */
  public synchronized int count(State state) {
    return (int) members.values().stream().filter(member -> member.state() == state).count();
  }

  /** Lists the executors that have joined and are not lost. */
  public synchronized Set<String> joined() {
    return members.values().stream()
        .filter(member -> member.state() == State.JOINED)
        .map(Member::executorId)
        .collect(Collectors.toSet());
  }

  /** Counts the joined PEs of a host. */
  public synchronized int joinedOn(HostIdentity host) {
    return (int)
        members.values().stream()
            .filter(member -> member.state() == State.JOINED && member.host().equals(host))
            .count();
  }

  @GuardedBy("this")
  private Member put(Member member) {
    Member before = members.put(member.executorId(), member);
    if (before != null) {
      byChange.remove(before.changed());
    }
    epoch = member.changed();
    byChange.put(epoch, member);
    return member;
  }
}
