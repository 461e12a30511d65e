// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.probe;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabStats;
import io.symshuffle.shuffle.device.DeviceTier;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/** Copies the start of another PE's device heap to a slab of this one. */
final class DeviceProbe implements PathRates.Way {
  /** Takes 0.1 ms at 20 GB/s. */
  static final long BYTES = 2 << 20;

  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final DeviceTier device;
  private final int pe;

  DeviceProbe(DeviceTier device, int pe) {
    this.device = device;
    this.pe = pe;
  }

  @Override
  public long move() throws TimeoutException {
    Optional<DeviceRange> from = device.heap().range(pe, 0, BYTES);
    // A probe alone is no reason to take memory of the GPU.
    SlabStats own = device.slabs().stats();
    if (own.backedBytes() - own.usedBytes() < BYTES) {
      return 0;
    }
    Optional<Slab> slab = from.flatMap(range -> device.slabs().allocate(BYTES));
    if (slab.isEmpty()) {
      return 0;
    }
    DeviceRange to = device.window().slice(slab.get().offset(), BYTES);
    boolean done = false;
    try (CudaStream stream = device.context().newStream()) {
      stream.copy(to, from.get());
      stream.synchronize(LIMIT);
      done = true;
      return BYTES;
    } finally {
      // Otherwise the GPU may still write to it.
      if (done) {
        device.slabs().free(slab.get());
      }
    }
  }
}
