// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.output;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.shuffle.directory.ControlView;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks which PEs of this host are alive, and which shuffles they read. Each check tests the file
 * lock of every PE that is not known to be dead; a dead PE never comes back.
 *
 * <p>A PE counts as dead only if its file is no longer locked. If that cannot be tested, for
 * example because this process has no free file descriptor, the PE counts as alive.
 *
 * <p>Thread-safe.
 */
public final class HostPeMonitor {
  private static final Logger LOG = LoggerFactory.getLogger(HostPeMonitor.class);

  private final HostHeap heap;
  private final MapOutputs outputs;
  private final PeProbe probe;
  private volatile String lastProblem = "";

  @GuardedBy("this")
  private final Set<Integer> dead = new HashSet<>();

  /**
   * Living and dead PEs.
   *
   * @param living PEs whose process is or may be alive, including this one, ascending
   * @param dead PEs that died after they had created their heap, ascending
   */
  record PeLiveness(List<Integer> living, List<Integer> dead) {}

  /** Monitors the host of a heap; {@code probe} tests whether other PEs are alive. */
  public HostPeMonitor(HostHeap heap, MapOutputs outputs, PeProbe probe) {
    this.heap = heap;
    this.outputs = outputs;
    this.probe = probe;
  }

  /**
   * The shuffles on which a living PE of the host holds a lease. Leases that are acquired during
   * the call may be missing: erase entries first, then call this.
   *
   * @return empty if the leases of a PE that is or may be alive cannot be read: any shuffle may be
   *     in use then
   */
  public Optional<Set<Integer>> leasedShuffles() {
    Set<Integer> leased = new HashSet<>();
    for (int pe : liveness().living()) {
      try {
        Optional<MemorySegment> window = heap.peer(pe);
        if (window.isPresent() && ControlView.isCreated(window.get())) {
          outputs.control(pe).orElseThrow().addLeasedShuffles(leased);
        }
      } catch (RuntimeException | InternalError e) {
        // InternalError: the file was truncated, and a page is missing.
        warn(pe, e);
        return Optional.empty();
      }
    }
    lastProblem = "";
    return Optional.of(leased);
  }

  private void warn(int pe, Throwable cause) {
    String problem = "PE %d: %s".formatted(pe, cause.getMessage());
    if (problem.equals(lastProblem)) {
      LOG.debug("The leases of a PE are still unknown: {}", problem);
    } else {
      lastProblem = problem;
      LOG.warn(
          "Not freeing shuffle memory as long as the leases of a PE of this host cannot be read:"
              + " {}",
          problem);
    }
  }

  PeLiveness liveness() {
    List<Integer> living = new ArrayList<>();
    List<Integer> deadPes = new ArrayList<>();
    Set<Integer> listed = new HashSet<>(heap.pes());
    // A PE whose file was deleted may still be alive and read.
    Set<Integer> pes = new TreeSet<>(listed);
    pes.addAll(heap.mapped());
    synchronized (this) {
      dead.retainAll(listed);
      for (int pe : pes) {
        if (pe == heap.myPe()) {
          living.add(pe);
        } else if (dead.contains(pe)) {
          deadPes.add(pe);
        } else {
          // Before the lock is tested: the header is written under the lock, so a PE with a header
          // and without a lock is dead, while one without a header may be about to start.
          boolean started = listed.contains(pe) && hasHeader(pe);
          if (mayBeAlive(pe)) {
            living.add(pe);
          } else if (started) {
            dead.add(pe);
            deadPes.add(pe);
          }
        }
      }
    }
    return new PeLiveness(living, deadPes);
  }

  private boolean hasHeader(int pe) {
    try {
      return heap.header(pe).isPresent();
    } catch (RuntimeException e) {
      LOG.debug("PE {} has no usable heap", pe, e);
      return false;
    }
  }

  /** Whether a PE that has started is dead. */
  public boolean isDead(int pe) {
    return !mayBeAlive(pe);
  }

  private boolean mayBeAlive(int pe) {
    try {
      return probe.isAlive(pe);
    } catch (RuntimeException e) {
      LOG.debug("PE {} counts as alive, because its heap cannot be checked", pe, e);
      return true;
    }
  }
}
