// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.HostHeap;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.CorruptControlException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks which PEs of this host are alive, and which shuffles they read. Each check tests the file
 * lock of every PE that is not known to be dead; a dead PE never comes back.
 *
 * <p>Thread-safe.
 */
public final class HostPeMonitor {
  private static final Logger LOG = LoggerFactory.getLogger(HostPeMonitor.class);

  private final HostHeap heap;
  private final MapOutputs outputs;

  @GuardedBy("this")
  private final Set<Integer> dead = new HashSet<>();

  /**
   * Living and dead PEs.
   *
   * @param living PEs whose process is alive, including this one, ascending
   * @param dead PEs that died after they had created their heap, ascending
   */
  record PeLiveness(List<Integer> living, List<Integer> dead) {}

  /** Monitors the host of a heap. */
  public HostPeMonitor(HostHeap heap, MapOutputs outputs) {
    this.heap = requireNonNull(heap, "heap is null");
    this.outputs = requireNonNull(outputs, "outputs is null");
  }

  /**
   * The shuffles on which a living PE of the host holds a lease. Leases that are acquired during
   * the call may be missing: erase entries first, then call this.
   */
  public Set<Integer> leasedShuffles() {
    Set<Integer> leased = new HashSet<>();
    for (int pe : liveness().living()) {
      try {
        Optional<ControlView> control = outputs.control(pe);
        control.ifPresent(view -> view.addLeasedShuffles(leased));
      } catch (CorruptControlException | HeapException | InternalError e) {
        // InternalError: the file was truncated, and a page is missing.
        LOG.debug("PE {} has no readable lease table: {}", pe, e.getMessage());
      }
    }
    return leased;
  }

  PeLiveness liveness() {
    List<Integer> living = new ArrayList<>();
    List<Integer> deadPes = new ArrayList<>();
    List<Integer> pes = heap.pes();
    synchronized (this) {
      dead.retainAll(pes);
      for (int pe : pes) {
        if (pe == heap.myPe()) {
          living.add(pe);
        } else if (dead.contains(pe)) {
          deadPes.add(pe);
        } else {
          check(pe, living, deadPes);
        }
      }
    }
    return new PeLiveness(living, deadPes);
  }

  @GuardedBy("this")
  private void check(int pe, List<Integer> living, List<Integer> deadPes) {
    try {
      // The header is written under the lock: a PE with a header and without a lock is dead.
      boolean finished = heap.header(pe).isPresent();
      if (heap.isAlive(pe)) {
        living.add(pe);
      } else if (finished) {
        dead.add(pe);
        deadPes.add(pe);
      }
    } catch (HeapException e) {
      LOG.debug("PE {} has no usable heap: {}", pe, e.getMessage());
    }
  }
}
