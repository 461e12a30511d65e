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
 * The PEs that have a heap on this host, and the shuffles that the living ones read. Each look
 * checks the file lock of every PE that was not dead before: a dead PE never comes back.
 *
 * <p>Thread-safe.
 */
public final class HostPes {
  private static final Logger LOG = LoggerFactory.getLogger(HostPes.class);

  private final HostHeap heap;
  private final MapOutputs outputs;

  @GuardedBy("this")
  private final Set<Integer> dead = new HashSet<>();

  /**
   * Which PEs live.
   *
   * @param living PEs whose process lives, this one included, ascending
   * @param dead PEs that had created their heap and are dead, ascending
   */
  record PeLiveness(List<Integer> living, List<Integer> dead) {}

  /** Looks at the host of a heap. */
  public HostPes(HostHeap heap, MapOutputs outputs) {
    this.heap = requireNonNull(heap, "heap is null");
    this.outputs = requireNonNull(outputs, "outputs is null");
  }

  /**
   * The shuffles on which a living PE of the host holds a lease. A lease that is taken while this
   * looks may be missing: erase entries first, then look.
   */
  public Set<Integer> leasedShuffles() {
    Set<Integer> leased = new HashSet<>();
    for (int pe : liveness().living()) {
      try {
        Optional<ControlView> control = outputs.control(pe);
        control.ifPresent(view -> view.addLeasesTo(leased));
      } catch (CorruptControlException | HeapException | InternalError e) {
        // InternalError: the file was truncated, and there is no page.
        LOG.debug("PE {} has no readable lease table: {}", pe, e.getMessage());
      }
    }
    return leased;
  }

  PeLiveness liveness() {
    List<Integer> living = new ArrayList<>();
    List<Integer> gone = new ArrayList<>();
    List<Integer> pes = heap.pes();
    synchronized (this) {
      dead.retainAll(pes);
      for (int pe : pes) {
        if (pe == heap.myPe()) {
          living.add(pe);
        } else if (dead.contains(pe)) {
          gone.add(pe);
        } else {
          sort(pe, living, gone);
        }
      }
    }
    return new PeLiveness(living, gone);
  }

  @GuardedBy("this")
  private void sort(int pe, List<Integer> living, List<Integer> gone) {
    try {
      // The header is written under the lock: one that has a header and no lock has been alive.
      boolean finished = heap.header(pe).isPresent();
      if (heap.isAlive(pe)) {
        living.add(pe);
      } else if (finished) {
        dead.add(pe);
        gone.add(pe);
      }
    } catch (HeapException e) {
      LOG.debug("PE {} has no heap that can be used: {}", pe, e.getMessage());
    }
  }
}
