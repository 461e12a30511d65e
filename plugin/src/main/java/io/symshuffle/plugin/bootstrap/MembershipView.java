// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.shuffle.core.PeTable;
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
 * An executor's copy of the table of PEs. It follows the driver's pushes, and asks the driver when
 * it meets an executor that it does not know, so that a lost push costs one question and nothing
 * else. Any thread may call it.
 *
 * <p>A lost PE keeps its number here: what it wrote may still be readable.
 */
public final class MembershipView implements PeTable {
  /** The way to the driver. */
  @FunctionalInterface
  public interface Source {
    /**
     * Asks the driver what changed; bounded in time.
     *
     * @param executorId the executor in question
     * @param since the epoch that we know
     * @return the changes
     * @throws Exception if there is no answer in time
     */
    TableChange changesSince(String executorId, long since) throws Exception;
  }

  /**
   * How long an executor that the driver does not know either is not asked for again, and how long
   * the driver is left alone after a question without an answer. Until then its blocks come through
   * Spark's block transfer, as they would for ever if it could not join.
   */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(MembershipView.class);

  private final Map<String, Member> members = new ConcurrentHashMap<>();
  private final Source source;
  private final LongSupplier nanoClock;

  // One question at a time: its answer brings all that changed, mostly what the next one would ask.
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
   * Makes an empty copy.
   *
   * @param source the way to the driver
   * @param nanoClock the time in nanoseconds, such as {@link System#nanoTime}
   */
  public MembershipView(Source source, LongSupplier nanoClock) {
    this.source = requireNonNull(source, "source is null");
    this.nanoClock = requireNonNull(nanoClock, "nanoClock is null");
  }

  @Override
  public OptionalInt peOf(String executorId) {
    return member(executorId).stream().mapToInt(Member::pe).findFirst();
  }

  @Override
  public boolean isLost(String executorId) {
    Member known = members.get(requireNonNull(executorId, "executorId is null"));
    return known != null && known.state() == Member.State.LOST;
  }

  /**
   * Looks an executor up, at the driver if it is not known here; that takes no longer than the
   * source's bound.
   *
   * @param executorId Spark's id
   * @return its entry, or empty if the driver does not know it or does not answer
   */
  public Optional<Member> member(String executorId) {
    Member known = members.get(requireNonNull(executorId, "executorId is null"));
    return Optional.ofNullable(known == null ? ask(executorId) : known);
  }

  /**
   * Takes in what the driver says changed. Old news, the same news twice or news in the wrong order
   * do no harm.
   *
   * @param change the changes
   */
  public synchronized void apply(TableChange change) {
    for (Member member : change.members()) {
      members.merge(
          member.executorId(),
          member,
          (ours, theirs) -> theirs.changed() > ours.changed() ? theirs : ours);
      tellIfLost(members.get(member.executorId()));
    }
    // With a gap before the change our epoch stays, and the next question asks for the gap too.
    if (change.since() <= epoch) {
      epoch = Math.max(epoch, change.epoch());
    }
  }

  /**
   * Tells somebody of every PE that is lost, those included that are known to be lost already.
   *
   * @param listener gets each PE's number, possibly more than once; it must not wait
   */
  public synchronized void onLost(IntConsumer listener) {
    onLost = requireNonNull(listener, "listener is null");
    members.values().forEach(this::tellIfLost);
  }

  @GuardedBy("this")
  private void tellIfLost(Member member) {
    if (member.state() == Member.State.LOST) {
      onLost.accept(member.pe());
    }
  }

  /**
   * The epoch up to which this copy is complete.
   *
   * @return the epoch; 0 before the first news
   */
  public synchronized long epoch() {
    return epoch;
  }

  private Member ask(String executorId) {
    synchronized (asking) {
      Member known = members.get(executorId);
      if (known != null || !mayAsk(executorId)) {
        return known;
      }
      try {
        apply(source.changesSince(executorId, epoch()));
        driverSilent = false;
      } catch (InterruptedException e) {
        // A cancelled task; the next one asks again.
        Thread.currentThread().interrupt();
        return null;
      } catch (Exception e) {
        driverSilent = true;
        silentUntil = nanoClock.getAsLong() + PATIENCE.toNanos();
        LOG.warn(
            "The driver did not say which PE executor {} is ({}): its blocks come through Spark's"
                + " block transfer, and the driver is not asked again for {} s",
            executorId,
            e.toString(),
            PATIENCE.toSeconds());
        return null;
      }
      Member found = members.get(executorId);
      if (found == null) {
        unknownUntil.put(executorId, nanoClock.getAsLong() + PATIENCE.toNanos());
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
