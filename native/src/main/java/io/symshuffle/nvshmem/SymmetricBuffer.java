// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import io.symshuffle.cuda.DeviceRange;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Memory that every PE has and that others address by PE and offset: the result of one collective
 * allocation. All PEs free it together, or NVSHMEM's finalization does. Thread-safe.
 */
public final class SymmetricBuffer implements AutoCloseable {
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

  private final NvshmemRuntime runtime;
  private final DeviceRange own;
  private final int generation;
  private final AtomicBoolean closed = new AtomicBoolean();

  SymmetricBuffer(NvshmemRuntime runtime, DeviceRange own, int generation) {
    this.runtime = runtime;
    this.own = own;
    this.generation = generation;
  }

  /** Returns its length on each PE in bytes. */
  public long bytes() {
    return own.bytes();
  }

  /**
   * Returns a PE's part, for loads and stores by this GPU.
   *
   * @param pe number of the PE; may be this PE
   * @return the address range on this GPU; empty when it is not mapped, so that only put and get
   *     reach it
   */
  public Optional<DeviceRange> peer(int pe) {
    requireOpen();
    if (pe < 0 || pe >= runtime.peCount()) {
      throw new IllegalArgumentException(
          "there is no PE %d of %d".formatted(pe, runtime.peCount()));
    }
    return pe == runtime.myPe() ? Optional.of(own) : runtime.mapped(own, pe);
  }

  long address() {
    return own.address();
  }

  private void requireOpen() {
    if (closed.get()) {
      throw new IllegalStateException("the symmetric buffer of " + own + " is freed");
    }
    if (generation != runtime.generation()) {
      throw new IllegalStateException(
          "the symmetric buffer of " + own + " belongs to an earlier start of NVSHMEM");
    }
  }

  /**
   * Frees it, together with all other PEs. Does nothing if NVSHMEM was given up or has finished.
   */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)
        && runtime.lost().isEmpty()
        && runtime.isStarted()
        && generation == runtime.generation()) {
      runtime.run("freeing " + own, CLOSE_LIMIT, calls -> calls.free(this));
    }
  }

  @Override
  public String toString() {
    return "symmetric buffer of " + own;
  }
}
