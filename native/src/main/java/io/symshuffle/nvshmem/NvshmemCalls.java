// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import io.symshuffle.cuda.DeviceRange;

/**
 * The calls that can be made on the owner thread, passed to the work of {@link
 * NvshmemRuntime#call}. Arguments are checked first, since NVSHMEM ends the process when it is
 * given wrong ones.
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
   * Allocates symmetric memory. Collective.
   *
   * @param bytes length, more than 0, the same on all PEs
   * @param alignment of its address, a power of two, the same on all PEs
   * @return the memory; its content is undefined
   * @throws NvshmemException when memory is exhausted
   */
  public SymmetricBuffer allocate(long bytes, long alignment) {
    requireOwner();
    if (bytes <= 0 || Long.bitCount(alignment) != 1) {
      throw new IllegalArgumentException(
          "symmetric memory of %d bytes, aligned to %d".formatted(bytes, alignment));
    }
    long address = api.align(alignment, bytes);
    if (address == 0) {
      throw new NvshmemException(
          ("nvshmem_align(%d, %d) failed on PE %d, whose GPU has %s: request less, or start NVSHMEM"
                  + " before other libraries take the GPU's memory")
              .formatted(alignment, bytes, runtime.myPe(), runtime.context().memory()));
    }
    return new SymmetricBuffer(runtime, new DeviceRange(address, bytes), runtime.generation());
  }

  /** Frees symmetric memory. Collective. */
  void free(SymmetricBuffer buffer) {
    requireOwner();
    api.free(buffer.address());
  }

  /** Finalizes NVSHMEM. Collective. */
  void finish() {
    requireOwner();
    api.finish();
  }

  // ---- barrier

  /** Waits until all PEs have reached the barrier and all copies are done. Collective. */
  public void barrierAll() {
    requireOwner();
    api.barrierAll();
  }

  private void requireOwner() {
    if (!runtime.isOwner()) {
      throw new IllegalStateException(
          "NVSHMEM is called on its owner thread only, not on " + Thread.currentThread().getName());
    }
  }
}
