// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.LaunchShape;
import io.symshuffle.kernel.DeviceStruct;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.KernelModule;
import io.symshuffle.kernel.UnsupportedKernelException;
import java.time.Duration;

/**
 * Collectives that the NVLink switch executes, over multicast addresses. Each method checks its
 * arguments and prepares a launch of one kernel. Thread-safe.
 */
public final class Multimem {
  private static final int LANES = 32;

  private final KernelModule kernels;

  Multimem(KernelModule kernels) {
    this.kernels = kernels;
  }

  /**
   * Prepares a reduction by the switch: loads from a multicast address return the combined elements
   * of all PEs.
   *
   * @param type type of the elements
   * @param operation operation on the elements; only SUM for floating point
   * @param input a multicast range, 16-byte aligned
   * @param output a multicast range, to write to all PEs, or a range of this PE
   * @param outputIsMulticast whether it is a multicast range
   * @param firstElement index of the first element
   * @param elementCount number of elements
   * @return the launch
   * @throws UnsupportedKernelException before Hopper, and for min and max of floating point
   */
  public KernelLaunch reduce(
      ElementType type,
      ReduceOperation operation,
      DeviceRange input,
      DeviceRange output,
      boolean outputIsMulticast,
      long firstElement,
      long elementCount) {
    kernels.requireHopper("multimem_reduce");
    if (type.isFloating() && operation != ReduceOperation.SUM) {
      throw new UnsupportedKernelException(
          "the switch can sum %s but has no %s for them: use the reduction over peer loads"
              .formatted(type, operation));
    }
    type.check(input, firstElement, elementCount);
    type.check(output, firstElement, elementCount);
    requireAligned(input);
    requireAligned(output);
    return new KernelLaunch(
        kernels,
        "symshuffle_multimem_reduce",
        kernels.spreadShape(elementCount * type.bytes()),
        0,
        to -> {},
        place ->
            new BenchmarkStruct.MultimemReduceArguments(
                input.address(),
                output.address(),
                place.status(),
                firstElement,
                elementCount,
                outputIsMulticast ? 1 : 0,
                type.number(),
                operation.number(),
                kernels.pe()));
  }

  /**
   * Prepares a broadcast by the switch.
   *
   * @param source memory to read, 16-byte aligned
   * @param destination a multicast range, 16-byte aligned, of the same length, a multiple of 4
   * @return the launch
   * @throws UnsupportedKernelException before Hopper
   */
  public KernelLaunch broadcast(DeviceRange source, DeviceRange destination) {
    kernels.requireHopper("multimem_broadcast");
    requireAligned(source);
    requireAligned(destination);
    if (source.bytes() != destination.bytes() || source.bytes() % Integer.BYTES != 0) {
      throw new IllegalArgumentException("a multicast of %s to %s".formatted(source, destination));
    }
    return new KernelLaunch(
        kernels,
        "symshuffle_multimem_broadcast",
        kernels.spreadShape(source.bytes()),
        0,
        to -> {},
        place ->
            new BenchmarkStruct.MultimemBroadcastArguments(
                source.address(),
                destination.address(),
                place.status(),
                source.bytes(),
                kernels.pe(),
                0));
  }

  /**
   * Prepares a barrier by the switch.
   *
   * @param multicastCounter a multicast range of 8 bytes, zeroed once before any PE's first round
   * @param counter the same 8 bytes of this PE
   * @param peCount number of PEs
   * @param limit timeout of a round, by the GPU's clock
   * @return the launch
   * @throws UnsupportedKernelException before Hopper
   */
  public BarrierLaunch barrier(
      DeviceRange multicastCounter, DeviceRange counter, int peCount, Duration limit) {
    kernels.requireHopper("multimem_barrier");
    if (multicastCounter.bytes() != Long.BYTES || counter.bytes() != Long.BYTES) {
      throw new IllegalArgumentException(
          "a barrier counts in 8 bytes, not in %s and %s".formatted(multicastCounter, counter));
    }
    return new BarrierLaunch(
        kernels,
        "symshuffle_multimem_barrier",
        new LaunchShape(1, LANES, 0),
        0,
        to -> {},
        place ->
            new BenchmarkStruct.MultimemBarrierArguments(
                multicastCounter.address(),
                counter.address(),
                place.status(),
                0,
                limit.toNanos(),
                0,
                kernels.pe(),
                0),
        DeviceStruct.offset(BenchmarkStruct.MultimemBarrierArguments.class, "expected"),
        peCount);
  }

  private static void requireAligned(DeviceRange range) {
    if (range.address() % 16 != 0) {
      throw new IllegalArgumentException("%s are not 16-byte aligned".formatted(range));
    }
  }
}
