// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.plugin.membership.Message.ApplicationEnding;
import io.symshuffle.plugin.membership.Message.EndedShuffle;
import io.symshuffle.plugin.membership.Message.ShufflesEnded;
import io.symshuffle.plugin.membership.Message.TablesOnHost;
import io.symshuffle.plugin.membership.Message.Update;
import io.symshuffle.shuffle.output.EndedShuffles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pushes changes of the membership to the executors from a separate thread, so that its callers
 * never wait. Changes that arrive during a round are sent together in the next one. A push may get
 * lost: executors report what they know, and get what they have missed again.
 */
public final class MembershipPusher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MembershipPusher.class);
  private static final long CLOSE_SECONDS = 1;

  // Only the pushing thread writes the epoch.
  private static final class Subscriber {
    private final Consumer<byte[]> target;
    private volatile long knows;

    Subscriber(Consumer<byte[]> target, long knows) {
      this.target = target;
      this.knows = knows;
    }
  }

  private final Membership membership;
  private final Map<String, Subscriber> subscribers = new ConcurrentHashMap<>();
  private final AtomicBoolean roundAhead = new AtomicBoolean();
  private final Queue<EndedShuffle> endedShuffles = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean shufflesAhead = new AtomicBoolean();
  private volatile boolean ending;

  /** Told to executors that start later, or have missed some. */
  private final EndedShuffles ended = new EndedShuffles();

  /** How many ends of shuffles were pushed; changed only by the pushing thread. */
  private volatile long ends;

  /** Only used by the pushing thread. */
  private Optional<TablesOnHost> tablesOnHost = Optional.empty();

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(DaemonThreads.factory("symshuffle-membership"));

  /**
   * @param membership what is pushed
   */
  public MembershipPusher(Membership membership) {
    this.membership = membership;
  }

  /** Adds an executor that already knows an epoch. */
  void subscribe(String executorId, Consumer<byte[]> target, long knows) {
    subscribers.put(executorId, new Subscriber(target, knows));
  }

  void unsubscribe(String executorId) {
    subscribers.remove(executorId);
  }

  /**
   * Pushes again what an executor has missed. It may also get what is still on its way.
   *
   * @param epoch the last epoch that it knows
   * @param knownEnds how many ends of shuffles it knows
   */
  void knows(String executorId, long epoch, long knownEnds) {
    if (knownEnds < ends) {
      execute(executorId, subscriber -> tellEarlierEnds(executorId, subscriber));
    }
    if (epoch < membership.epoch()) {
      execute(
          executorId,
          subscriber -> {
            subscriber.knows = Math.min(subscriber.knows, epoch);
            pushChanges(executorId, subscriber);
          });
    }
  }

  /** Schedules a push of what changed. */
  void changed() {
    if (roundAhead.compareAndSet(false, true)) {
      execute(this::pushChanges);
    }
  }

  /** Tells all executors that a shuffle has ended, together with others that end meanwhile. */
  public void shuffleEnded(EndedShuffle shuffle) {
    endedShuffles.add(shuffle);
    if (shufflesAhead.compareAndSet(false, true)) {
      execute(this::tellShufflesEnded);
    }
  }

  /**
   * Tells an executor that has just started what it has missed. Of shuffles that have ended it may
   * be the one that frees what dead executors of its host left, and every executor told of an end
   * may have died.
   */
  void started(String executorId) {
    execute(
        executorId,
        subscriber -> {
          tellEarlierEnds(executorId, subscriber);
          tablesOnHost.ifPresent(message -> send(executorId, subscriber, message));
        });
  }

  private void tellEarlierEnds(String executorId, Subscriber subscriber) {
    List<EndedShuffle> earlier = new ArrayList<>();
    ended.copy().forEach((id, lastTask) -> earlier.add(new EndedShuffle(id, lastTask)));
    if (!earlier.isEmpty()) {
      send(executorId, subscriber, new ShufflesEnded(earlier, 0, ends));
    }
  }

  /**
   * Tells all executors, also those that start later, that RAPIDS copies its tables to the host
   * from now on.
   *
   * @param reason why; only the first one is told
   */
  void tablesOnHost(String reason) {
    execute(
        () -> {
          if (tablesOnHost.isEmpty()) {
            tablesOnHost = Optional.of(new TablesOnHost(reason));
            subscribers.forEach(
                (id, subscriber) -> send(id, subscriber, tablesOnHost.orElseThrow()));
          }
        });
  }

  private void tellShufflesEnded() {
    // Cleared first, as in pushChanges.
    shufflesAhead.set(false);
    List<EndedShuffle> shuffles = new ArrayList<>();
    for (EndedShuffle each = endedShuffles.poll(); each != null; each = endedShuffles.poll()) {
      shuffles.add(each);
      ended.add(each.shuffleId(), each.lastTaskId());
    }
    if (!shuffles.isEmpty()) {
      ShufflesEnded message = new ShufflesEnded(shuffles, ends, ends + shuffles.size());
      ends = message.total();
      subscribers.forEach((id, subscriber) -> send(id, subscriber, message));
    }
  }

  /** Tells all executors that the application ends. Those that join later learn it as they do. */
  public void end() {
    ending = true;
    execute(
        () ->
            subscribers.forEach((id, subscriber) -> send(id, subscriber, new ApplicationEnding())));
  }

  /** Returns whether the application ends; an executor that subscribed before is told. */
  boolean isEnding() {
    return ending;
  }

  /** Sends what is already scheduled and stops. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }

  private void pushChanges() {
    // Cleared first: a later change is either in this round or schedules another one.
    roundAhead.set(false);
    subscribers.forEach(this::pushChanges);
  }

  private void pushChanges(String executorId, Subscriber subscriber) {
    MembershipChange change = membership.changesSince(subscriber.knows);
    if (!change.members().isEmpty()) {
      send(executorId, subscriber, new Update(change));
      subscriber.knows = change.epoch();
    }
  }

  private static void send(String executorId, Subscriber subscriber, Message message) {
    try {
      subscriber.target.accept(MessageSerializer.write(message));
    } catch (RuntimeException e) {
      // Most likely it is gone, and Spark will report that in a moment.
      LOG.debug("Pushing to executor {} failed", executorId, e);
    }
  }

  /** Runs a task for an executor, unless it has been unsubscribed by then. */
  private void execute(String executorId, Consumer<Subscriber> task) {
    execute(() -> Optional.ofNullable(subscribers.get(executorId)).ifPresent(task));
  }

  private void execute(Runnable task) {
    try {
      thread.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("Not pushing: the application has ended", e);
    }
  }
}
