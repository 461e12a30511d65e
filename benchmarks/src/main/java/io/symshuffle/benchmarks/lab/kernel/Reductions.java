// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.KernelModule;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

/**
 * Sums of floats over all PEs, and the barrier that they need. Each method checks its arguments and
 * prepares a launch of one kernel. Thread-safe.
 */
public final class Reductions {
  private static final int GRANULE_BYTES = 16;

  private final KernelModule kernels;

  Reductions(KernelModule kernels) {
    this.kernels = kernels;
  }

  /**
   * Prepares a barrier of all PEs on streams, which writes this PE's counter and reads the others'.
   *
   * @param counters each PE's counter, at its address on this GPU: 8 bytes, zeroed once before any
   *     PE's first round and used by one launch of each PE
   * @param limit timeout of a round, by the GPU's clock
   * @return the launch; {@link KernelLaunch#await} names the PEs that did not arrive
   */
  public BarrierLaunch barrier(List<DeviceRange> counters, Duration limit) {
    for (DeviceRange counter : counters) {
      if (counter.bytes() != Long.BYTES || counter.address() % Long.BYTES != 0) {
        throw new IllegalArgumentException(
            "a counter of a barrier has 8 aligned bytes, not " + counter);
      }
    }
    if (kernels.pe() >= counters.size()) {
      throw new IllegalArgumentException(
          "PE %d cannot take part in a barrier of %d PEs".formatted(kernels.pe(), counters.size()));
    }
    return new BarrierLaunch(kernels, counters, limit);
  }

  /**
   * Prepares an all-reduce in one step: a sum of all inputs, in their order. If inputs are other
   * PEs' memory, it needs a barrier before and after.
   *
   * @param inputs f32[n] of each PE, 16-byte aligned, in the same order on all PEs; n is a multiple
   *     of 4
   * @param output f32[n] of this PE, 16-byte aligned
   */
  public KernelLaunch sum(List<DeviceRange> inputs, DeviceRange output) {
    if (inputs.isEmpty()) {
      throw new IllegalArgumentException("a sum needs inputs");
    }
    inputs.forEach(input -> check(input, output));
    return new KernelLaunch(
        kernels,
        LabKernels.SUM,
        kernels.spreadShape(inputs.size() * output.bytes()),
        (long) Long.BYTES * inputs.size(),
        to -> writeAddresses(inputs, to),
        place ->
            new LabStruct.SumArguments(
                place.tables(),
                output.address(),
                place.status(),
                output.bytes() / GRANULE_BYTES,
                inputs.size(),
                kernels.pe()));
  }

  private static void check(DeviceRange input, DeviceRange output) {
    if (input.bytes() != output.bytes()
        || (input.address() | output.address() | output.bytes()) % GRANULE_BYTES != 0) {
      throw new IllegalArgumentException(
          "a sum needs ranges of equal length and multiples of 16 bytes, unlike %s to %s"
              .formatted(input, output));
    }
  }

  /** Writes u64[ranges]. */
  static void writeAddresses(List<DeviceRange> ranges, MemorySegment to) {
    for (int i = 0; i < ranges.size(); i++) {
      to.setAtIndex(JAVA_LONG, i, ranges.get(i).address());
    }
  }
}
