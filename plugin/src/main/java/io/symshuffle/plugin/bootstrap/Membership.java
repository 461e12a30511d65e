// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.plugin.bootstrap.Member.State;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The driver's table of PEs: who has which number, and who is lost. The only one that hands out
 * numbers. Each change begins a new epoch. Knows no Spark; any thread may call it, and no call
 * waits for anything.
 */
public final class Membership {
  @GuardedBy("this")
  private final Map<String, Member> members = new LinkedHashMap<>();

  /**
   * The same by the epoch of their last change: what is new is found without a look at the rest.
   */
  @GuardedBy("this")
  private final NavigableMap<Long, Member> byChange = new TreeMap<>();

  @GuardedBy("this")
  private long epoch;

  /** Makes an empty table, in epoch 0. */
  public Membership() {}

  /**
   * Enters an executor. The first one becomes PE 0, the next one PE 1, and so on; one that joins
   * again, after a lost answer for instance, keeps its number.
   *
   * @param executorId Spark's id
   * @param host where it runs
   * @return its entry, in state JOINED
   */
  public synchronized Member join(String executorId, HostIdentity host) {
    Member known = members.get(executorId);
    if (known != null && known.state() == State.JOINED && known.host().equals(host)) {
      return known;
    }
    int pe = known == null ? members.size() : known.pe();
    return put(new Member(executorId, pe, host, State.JOINED, epoch + 1));
  }

  /**
   * Notes that an executor is gone.
   *
   * @param executorId Spark's id
   * @return its entry, now in state LOST; empty if it never joined or was lost before
   */
  public synchronized Optional<Member> lose(String executorId) {
    Member known = members.get(executorId);
    if (known == null || known.state() == State.LOST) {
      return Optional.empty();
    }
    return Optional.of(
        put(new Member(executorId, known.pe(), known.host(), State.LOST, epoch + 1)));
  }

  /**
   * Looks an executor up.
   *
   * @param executorId Spark's id
   * @return its entry, or empty if it never joined
   */
  public synchronized Optional<Member> member(String executorId) {
    return Optional.ofNullable(members.get(executorId));
  }

  /**
   * What changed after an epoch.
   *
   * @param since an epoch; one that lies ahead of us is treated as 0
   * @return the entries changed since, in the order of their changes, and the epoch of now
   */
  public synchronized TableChange changesSince(long since) {
    long from = since > epoch ? 0 : since;
    return new TableChange(from, epoch, List.copyOf(byChange.tailMap(from, false).values()));
  }

  /**
   * The epoch of now.
   *
   * @return the number of changes so far
   */
  public synchronized long epoch() {
    return epoch;
  }

  /**
   * Counts PEs.
   *
   * @param state which ones
   * @return their number
   */
  public synchronized int count(State state) {
    return (int) members.values().stream().filter(member -> member.state() == state).count();
  }

  /**
   * Counts the joined PEs of a host.
   *
   * @param host which one
   * @return their number
   */
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
