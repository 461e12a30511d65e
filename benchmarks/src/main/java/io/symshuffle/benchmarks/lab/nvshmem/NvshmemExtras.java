// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.nvshmem;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import io.symshuffle.nvshmem.NvshmemError;
import io.symshuffle.nvshmem.NvshmemException;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.SymmetricBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Functions of NVSHMEM that the product does not use. Those that queue work are called on the
 * runtime's owner thread, in the work of {@link #run}, and return before it is done.
 *
 * <p>Symmetric ranges are in one of this object's buffers; on another PE they refer to the same
 * offset in that PE's buffer. Arguments are checked first, since NVSHMEM ends the process when it
 * is given wrong ones.
 */
public final class NvshmemExtras {
  /** NVSHMEM_TEAM_WORLD. */
  private static final int WORLD = 0;

  private final NvshmemRuntime runtime;
  private final NvshmemExtrasApi api;
  private final List<SymmetricBuffer> buffers;

  /** The owner thread while it runs work of this object; null otherwise. */
  private volatile Thread caller;

  /**
   * @param buffers symmetric memory that copies may use
   * @throws NvshmemException when the library lacks a function
   */
  public NvshmemExtras(NvshmemRuntime runtime, SymmetricBuffer... buffers) {
    this.runtime = runtime;
    this.buffers = List.of(buffers);
    NativeInterface<NvshmemExtrasApi> bound =
        NativeInterface.bind(
            NativeLibrary.open(List.of(runtime.library().name())), NvshmemExtrasApi.class);
    if (!bound.missing().isEmpty()) {
      throw new NvshmemException(
          "%s lacks %s"
              .formatted(runtime.library().name(), String.join(", ", bound.missing().keySet())));
    }
    this.api = bound.calls();
  }

  /**
   * Calls NVSHMEM on the owner thread.
   *
   * @param what a description for messages
   * @param limit timeout, which includes waiting for earlier calls
   */
  public void run(String what, Duration limit, Consumer<NvshmemExtras> work) {
    runtime.call(
        what,
        limit,
        unused -> {
          caller = Thread.currentThread();
          try {
            work.accept(this);
            return null;
          } finally {
            caller = null;
          }
        });
  }

  /**
   * Queues the start of a copy to another PE, which {@link #quiet} completes.
   *
   * @param destination symmetric; written on the other PE
   * @param source this GPU's memory, of the same length
   */
  public void put(DeviceRange destination, DeviceRange source, int pe, CudaStream stream) {
    checkOwner();
    checkSymmetric(destination);
    if (destination.bytes() != source.bytes() || pe < 0 || pe >= runtime.peCount()) {
      throw new IllegalArgumentException(
          "a copy of %s to %s on PE %d of %d"
              .formatted(source, destination, pe, runtime.peCount()));
    }
    api.putNonBlockingOnStream(
        destination.address(), source.address(), source.bytes(), pe, stream.address());
  }

  /** Queues a wait for all copies that were started on the stream. */
  public void quiet(CudaStream stream) {
    checkOwner();
    api.quietOnStream(stream.address());
  }

  /**
   * Queues an all-to-all: block i of each PE's source becomes block (this PE) of PE i's
   * destination. All PEs make such calls in the same order.
   *
   * @param destination symmetric, one block per PE
   * @param source symmetric, of the same length
   */
  public void allToAll(DeviceRange destination, DeviceRange source, CudaStream stream) {
    checkOwner();
    checkSymmetric(destination);
    checkSymmetric(source);
    if (destination.bytes() != source.bytes() || source.bytes() % runtime.peCount() != 0) {
      throw new IllegalArgumentException(
          "an all-to-all of %s from %s among %d PEs"
              .formatted(destination, source, runtime.peCount()));
    }
    NvshmemError.check(
        api.allToAllOnStream(
            WORLD,
            destination.address(),
            source.address(),
            source.bytes() / runtime.peCount(),
            stream.address()),
        "nvshmemx_alltoallmem_on_stream",
        destination,
        source);
  }

  private void checkOwner() {
    if (!Thread.currentThread().equals(caller)) {
      throw new IllegalStateException(
          "NVSHMEM is called on its owner thread only, not on " + Thread.currentThread().getName());
    }
  }

  private void checkSymmetric(DeviceRange range) {
    for (SymmetricBuffer buffer : buffers) {
      DeviceRange local = buffer.local();
      if (range.address() >= local.address()
          && range.address() + range.bytes() <= local.address() + local.bytes()) {
        return;
      }
    }
    throw new IllegalArgumentException(
        "%s are not in one of the %d symmetric buffers of PE %d"
            .formatted(range, buffers.size(), runtime.myPe()));
  }
}
