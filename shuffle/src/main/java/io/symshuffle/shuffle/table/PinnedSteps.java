// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.PinnedPool;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Pinned memory through which one task copies between GPU memory and other host memory, in steps. A
 * copy between the GPU and memory that is not pinned goes through memory of CUDA's driver, at a
 * fraction of PCIe's rate for all threads together; here each thread copies for itself.
 *
 * <p>Used by one thread. What the GPU may still use when the task ends is not given back.
 */
final class PinnedSteps {
  /** Pages that a task uses at the same time: 8 MiB. */
  static final int MAX_PAGES = 4;

  private final Optional<PinnedPool> pool;
  private final List<MemorySegment> pages = new ArrayList<>();

  /** Bytes of the last page that are in use. */
  private long used;

  private final List<CopyOut> copies = new ArrayList<>();

  /** A copy on the CPU, for when the GPU has written {@code from}. */
  private record CopyOut(MemorySegment from, MemorySegment to) {}

  PinnedSteps(Optional<PinnedPool> pool) {
    this.pool = pool;
  }

  /**
   * Takes memory in one page.
   *
   * @param most how many bytes can be used, more than 0
   * @return memory of at most that size; empty if this task has {@link #MAX_PAGES}, or the pool no
   *     more pages
   */
  Optional<MemorySegment> take(long most) {
    if (pages.isEmpty() || used == PinnedPool.PAGE_BYTES) {
      Optional<MemorySegment> page =
          pages.size() == MAX_PAGES ? Optional.empty() : pool.flatMap(PinnedPool::take);
      if (page.isEmpty()) {
        return page;
      }
      pages.add(page.get());
      used = 0;
    }
    MemorySegment step =
        pages.getLast().asSlice(used, Math.min(most, PinnedPool.PAGE_BYTES - used));
    used += step.byteSize();
    return Optional.of(step);
  }

  /** Whether memory was taken and not given back. */
  boolean isUsed() {
    return !pages.isEmpty();
  }

  /** Notes a copy for {@link #copyOut}. */
  void copyLater(MemorySegment from, MemorySegment to) {
    copies.add(new CopyOut(from, to));
  }

  /** Copies what the GPU has written. */
  void copyOut() {
    copies.forEach(copy -> copy.to.copyFrom(copy.from));
  }

  /** Gives all memory back, which the GPU no longer uses. */
  void giveBack() {
    copies.clear();
    pages.forEach(page -> pool.orElseThrow().give(page));
    pages.clear();
  }
}
