// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import io.symshuffle.cuda.DeviceRange;

/**
 * What can be called on the owner thread; handed to the work of {@link NvshmemRuntime#call} and
 * useless elsewhere. Everything is checked before the library sees it, since the library answers
 * mistakes by ending the process.
 *
 * <p>All methods are collective: all PEs call them in the same order.
 */
public final class NvshmemCalls {
  private final NvshmemRuntime runtime;
  private final NvshmemApi api;

  NvshmemCalls(NvshmemRuntime runtime, NvshmemApi api) {
    this.runtime = runtime;
    this.api = api;
  }

  // ---- memory

  /**
   * Allocates symmetric memory; collective.
   *
   * @param bytes length, more than 0, the same on all PEs
   * @param alignment of its address, a power of two, the same on all PEs
   * @return the memory; its content is undefined
   * @throws NvshmemException when there is none left
   */
  public SymmetricBuffer allocate(long bytes, long alignment) {
    own();
    if (bytes <= 0 || Long.bitCount(alignment) != 1) {
      throw new IllegalArgumentException(
          "symmetric memory of %d bytes, aligned to %d".formatted(bytes, alignment));
    }
    long address = api.align(alignment, bytes);
    if (address == 0) {
      throw new NvshmemException(
          ("nvshmem_align(%d, %d) failed on PE %d, whose GPU has %s: ask for less, or start NVSHMEM"
                  + " before others take the GPU's memory")
              .formatted(alignment, bytes, runtime.myPe(), runtime.context().memory()));
    }
    return new SymmetricBuffer(runtime, new DeviceRange(address, bytes), runtime.generation());
  }

  /** Frees; collective. */
  void free(SymmetricBuffer buffer) {
    own();
    api.free(buffer.address());
  }

  /** Ends; collective. */
  void finish() {
    own();
    api.finish();
  }

  // ---- barrier

  /** Waits until all PEs have come here and all copies are done; collective. */
  public void barrierAll() {
    own();
    api.barrierAll();
  }

  private void own() {
    if (!runtime.isOwner()) {
      throw new IllegalStateException(
          "NVSHMEM is called on its owner thread only, not on " + Thread.currentThread().getName());
    }
  }
}
