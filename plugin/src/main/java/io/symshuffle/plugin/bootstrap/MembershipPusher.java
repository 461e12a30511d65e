// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import io.symshuffle.plugin.bootstrap.Message.End;
import io.symshuffle.plugin.bootstrap.Message.ShufflesOver;
import io.symshuffle.plugin.bootstrap.Message.Table;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the executors what changed in the driver's table, on a thread of its own: who reports a
 * change never waits, and changes that come while a round is under way go out together in the next
 * one. A push may get lost; an executor that misses something asks for it.
 */
final class MembershipPusher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MembershipPusher.class);
  private static final long CLOSE_SECONDS = 1;

  /** So many shuffles that are over are told to executors that start later. */
  private static final int REMEMBERED = 4096;

  // The epoch is written by the pushing thread alone.
  private static final class Subscriber {
    private final PushTarget target;
    private volatile long knows;

    Subscriber(PushTarget target, long knows) {
      this.target = target;
      this.knows = knows;
    }
  }

  private final Membership membership;
  private final Map<String, Subscriber> subscribers = new ConcurrentHashMap<>();
  private final AtomicBoolean roundAhead = new AtomicBoolean();
  private final Queue<Integer> shufflesOver = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean shufflesAhead = new AtomicBoolean();

  // The pushing thread's own.
  private final Deque<Integer> ended = new ArrayDeque<>();

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("symshuffle-membership").factory());

  MembershipPusher(Membership membership) {
    this.membership = requireNonNull(membership, "membership is null");
  }

  /** Tells this executor too, from now on; {@code knows} is the epoch that it has already. */
  void subscribe(String executorId, PushTarget target, long knows) {
    subscribers.put(executorId, new Subscriber(target, knows));
  }

  void unsubscribe(String executorId) {
    subscribers.remove(executorId);
  }

  /** Says that the table changed. */
  void changed() {
    if (roundAhead.compareAndSet(false, true)) {
      execute(this::round);
    }
  }

  /** Tells everybody that a shuffle is over, together with others that end meanwhile. */
  void shuffleOver(int shuffleId) {
    shufflesOver.add(shuffleId);
    if (shufflesAhead.compareAndSet(false, true)) {
      execute(this::tellShufflesOver);
    }
  }

  /**
   * Tells an executor that has just started which shuffles were over before: it may be the one that
   * frees what the dead of its host have left, and all who heard of an end may be dead, too.
   */
  void started(String executorId) {
    execute(
        () -> {
          Subscriber subscriber = subscribers.get(executorId);
          if (subscriber != null && !ended.isEmpty()) {
            send(executorId, subscriber, new ShufflesOver(List.copyOf(ended)));
          }
        });
  }

  private void tellShufflesOver() {
    // Cleared first, as in a round.
    shufflesAhead.set(false);
    List<Integer> ids = new ArrayList<>();
    for (Integer id = shufflesOver.poll(); id != null; id = shufflesOver.poll()) {
      ids.add(id);
    }
    ended.addAll(ids);
    while (ended.size() > REMEMBERED) {
      ended.removeFirst();
    }
    if (!ids.isEmpty()) {
      ShufflesOver message = new ShufflesOver(ids);
      subscribers.forEach((id, subscriber) -> send(id, subscriber, message));
    }
  }

  /** Tells everybody that the application ends. */
  void end() {
    execute(() -> subscribers.forEach((id, subscriber) -> send(id, subscriber, new End())));
  }

  /** Lets what is under way go out and stops. */
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

  private void round() {
    // Cleared first: a change from here on either is in this round or asks for another one.
    roundAhead.set(false);
    subscribers.forEach(
        (id, subscriber) -> {
          TableChange change = membership.changesSince(subscriber.knows);
          if (!change.members().isEmpty()) {
            send(id, subscriber, new Table(change));
            subscriber.knows = change.epoch();
          }
        });
  }

  private static void send(String executorId, Subscriber subscriber, Message message) {
    try {
      subscriber.target.send(Messages.encode(message));
    } catch (RuntimeException e) {
      // Most likely it is gone, and Spark's listener tells us in a moment.
      LOG.debug("Pushing to executor {} failed", executorId, e);
    }
  }

  private void execute(Runnable task) {
    try {
      thread.execute(task);
    } catch (RejectedExecutionException e) {
      LOG.debug("The application has ended, nothing is pushed any more", e);
    }
  }
}
