// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits until another PE has arrived: spins for some microseconds, lets other threads run, then
 * parks for longer and longer. Ends early if Spark kills the task.
 */
final class PeerWait {
  private static final int SPINS = 1000;

  /** Parking takes at least 50 us more than asked for. */
  private static final int YIELDS = 200;

  private static final long MIN_PARK_NANOS = 20_000;
  private static final long MAX_PARK_NANOS = 1_000_000;
  private static final long CHECK_NANOS = 100_000_000;

  /** Spark has this long to kill this task after another one failed, whose error says more. */
  private static final long GRACE_NANOS = Duration.ofSeconds(3).toNanos();

  /** How much longer to wait for the GPU, which has the limit itself and knows which PE is late. */
  private static final Duration LATER = Duration.ofSeconds(5);

  private final Runnable killed;
  private final Duration limit;
  private final BooleanSupplier closing;
  private final String waiter;

  /**
   * @param killed throws an exception if Spark kills the task
   * @param limit timeout of each wait
   * @param closing whether to stop waiting
   * @param waiter the PE that waits, for messages
   */
  PeerWait(Runnable killed, Duration limit, BooleanSupplier closing, String waiter) {
    this.killed = killed;
    this.limit = limit;
    this.closing = closing;
    this.waiter = waiter;
  }

  /**
   * Waits.
   *
   * @param arrivals how often the PE must have arrived
   * @throws SymmetricMemoryException if it has ended, or the limit is over
   */
  @SuppressWarnings("ThreadPriorityCheck") // more tasks than cores need each other's
  void await(Peer peer, long arrivals, String call) {
    for (int i = 0; i < SPINS + YIELDS && peer.control().arrivals() < arrivals; i++) {
      if (i < SPINS) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
    WaitLimit time = new WaitLimit(limit, waiter, peer, call);
    long park = MIN_PARK_NANOS;
    long nextCheck = CHECK_NANOS;
    long ended = Long.MAX_VALUE;
    peer.look();
    while (peer.control().arrivals() < arrivals) {
      LockSupport.parkNanos(park);
      park = Math.min(2 * park, MAX_PARK_NANOS);
      long waited = time.waited();
      checkRuns(call);
      if (waited > nextCheck) {
        nextCheck = waited + CHECK_NANOS;
        ended = peer.hasEnded() ? Math.min(ended, waited) : Long.MAX_VALUE;
        if (waited - ended > GRACE_NANOS) {
          throw hasEnded(peer, call);
        }
        time.check();
      }
      peer.look();
    }
    long arrived = peer.control().arrivals();
    // It arrives only once more before this PE does.
    if (arrived > arrivals + 1 && peer.isCurrent()) {
      throw new SymmetricMemoryException(
          "the control block of %s is damaged: it arrived %d times, but %s %d times in %s"
              .formatted(peer, arrived, waiter, arrivals, call));
    }
  }

  /**
   * Waits for work that ends when the other PEs do their part.
   *
   * @param isDone waits up to a second, and returns whether the work is done
   * @param peers the other PEs
   * @throws SymmetricMemoryException if one has ended, or the limit is over by seconds
   */
  void await(BooleanSupplier isDone, List<Peer> peers, String call) {
    WaitLimit time =
        new WaitLimit(limit.plus(LATER), waiter, "its GPU, or those of other PEs,", call);
    long ended = Long.MAX_VALUE;
    while (!isDone.getAsBoolean()) {
      checkRuns(call);
      long waited = time.waited();
      Peer gone = peers.stream().filter(Peer::hasEnded).findFirst().orElse(null);
      ended = gone == null ? Long.MAX_VALUE : Math.min(ended, waited);
      if (waited - ended > GRACE_NANOS) {
        throw hasEnded(gone, call);
      }
      time.check();
    }
  }

  private SymmetricMemoryException hasEnded(Peer peer, String call) {
    return new SymmetricMemoryException(
        "the task of %s has ended or closed its memory, and %s waits for it in %s"
            .formatted(peer, waiter, call));
  }

  private void checkRuns(String call) {
    killed.run();
    if (closing.getAsBoolean() || Thread.currentThread().isInterrupted()) {
      throw new SymmetricMemoryException(
          "%s stops waiting in %s: its thread was interrupted or its memory closed"
              .formatted(waiter, call));
    }
  }
}
