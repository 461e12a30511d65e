// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.shuffle.runtime.PeTable;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor's copy of the membership. It applies the driver's pushes, and asks the driver about
 * an executor that it does not know, so a lost push costs one request. Thread-safe.
 *
 * <p>A lost PE keeps its number, because what it wrote may still be readable.
 */
final class MembershipView implements PeTable {
  /** Asks the driver. */
  @FunctionalInterface
  interface Lookup {
    /**
     * Asks the driver what changed, with a limit on the wait.
     *
     * @param executorId the unknown executor
     * @param since the epoch that we know
     * @throws Exception if there is no answer in time
     */
    MembershipChange changesSince(String executorId, long since) throws Exception;
  }

  /**
   * How long to wait before the next request about an executor that the driver does not know
   * either, and before any request after one without an answer. Meanwhile its blocks come through
   * Spark's block transfer, as those of an executor that could not join.
   */
  static final Duration RETRY_INTERVAL = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(MembershipView.class);

  private final Map<String, Member> members = new ConcurrentHashMap<>();
  private final Lookup lookup;
  private final LongSupplier nanoClock;

  // One request at a time: its answer has all changes, mostly what the next one would ask for.
  private final Object asking = new Object();

  @GuardedBy("asking")
  private final Map<String, Long> unknownUntil = new HashMap<>();

  @GuardedBy("asking")
  private boolean driverSilent;

  @GuardedBy("asking")
  private long silentUntil;

  @GuardedBy("this")
  private long epoch;

  @GuardedBy("this")
  private IntConsumer onLost = pe -> {};

  /**
   * @param lookup asks the driver
   * @param nanoClock the time in nanoseconds, such as {@link System#nanoTime}
   */
  MembershipView(Lookup lookup, LongSupplier nanoClock) {
    this.lookup = lookup;
    this.nanoClock = nanoClock;
  }

  @Override
  public OptionalInt findPe(String executorId) {
    return member(executorId).stream().mapToInt(Member::pe).findFirst();
  }

  @Override
  public boolean isLost(String executorId) {
    Member known = members.get(executorId);
    return known != null && known.state() == Member.State.LOST;
  }

  @Override
  public String heapFolder(String executorId) {
    Member known = members.get(executorId);
    return known == null ? "" : known.heapFolder();
  }

  /**
   * Looks an executor up, at the driver if it is unknown here; waits no longer than the lookup.
   *
   * @return its entry; empty if the driver does not know it or does not answer
   */
  Optional<Member> member(String executorId) {
    Member known = members.get(executorId);
    return Optional.ofNullable(known == null ? ask(executorId) : known);
  }

  /** Applies changes. Old changes, repeated ones or ones in the wrong order do no harm. */
  synchronized void apply(MembershipChange change) {
    for (Member member : change.members()) {
      members.merge(
          member.executorId(),
          member,
          (ours, theirs) -> theirs.changed() > ours.changed() ? theirs : ours);
      tellIfLost(members.get(member.executorId()));
    }
    // With a gap before the change our epoch stays, and the next request asks for the gap too.
    if (change.since() <= epoch) {
      epoch = Math.max(epoch, change.epoch());
    }
  }

  /**
   * Sets the listener for lost PEs, and tells it about those that are already lost.
   *
   * @param listener receives each PE's number, possibly more than once; it must not wait
   */
  synchronized void onLost(IntConsumer listener) {
    onLost = listener;
    members.values().forEach(this::tellIfLost);
  }

  @GuardedBy("this")
  private void tellIfLost(Member member) {
    if (member.state() == Member.State.LOST) {
      onLost.accept(member.pe());
    }
  }

  /** Returns the epoch up to which this copy is complete; 0 before the first change. */
  synchronized long epoch() {
    return epoch;
  }

  private Member ask(String executorId) {
    synchronized (asking) {
      Member known = members.get(executorId);
      if (known != null || !mayAsk(executorId)) {
        return known;
      }
      try {
        apply(lookup.changesSince(executorId, epoch()));
        driverSilent = false;
      } catch (InterruptedException e) {
        // A canceled task; the next one asks again.
        Thread.currentThread().interrupt();
        return null;
      } catch (Exception e) {
        driverSilent = true;
        silentUntil = nanoClock.getAsLong() + RETRY_INTERVAL.toNanos();
        LOG.warn(
            "Cannot look up executor {} at the driver ({}). Using Spark's block transfer for its"
                + " blocks; next attempt in {} s",
            executorId,
            e.toString(),
            RETRY_INTERVAL.toSeconds());
        return null;
      }
      Member found = members.get(executorId);
      if (found == null) {
        unknownUntil.put(executorId, nanoClock.getAsLong() + RETRY_INTERVAL.toNanos());
      }
      return found;
    }
  }

  @GuardedBy("asking")
  private boolean mayAsk(String executorId) {
    long now = nanoClock.getAsLong();
    if (driverSilent && now - silentUntil < 0) {
      return false;
    }
    Long until = unknownUntil.get(executorId);
    if (until != null && now - until < 0) {
      return false;
    }
    unknownUntil.remove(executorId);
    return true;
  }
}
