// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.DeviceStruct;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.KernelModule;
import io.symshuffle.kernel.Piece;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

/**
 * Collectives over peer loads and stores: signals, barriers, reductions and broadcasts. Each method
 * checks its arguments and prepares a launch of one kernel. Thread-safe.
 */
public final class Collectives {
  private static final long SIGNAL_DESCRIPTOR_BYTES =
      DeviceStruct.layout(BenchmarkStruct.SignalDescriptor.class).byteSize();

  private final KernelModule kernels;

  Collectives(KernelModule kernels) {
    this.kernels = kernels;
  }

  /**
   * Prepares signals: sets words; a thread that acquires one sees all earlier writes of this
   * stream.
   *
   * @param signals the words to set
   * @return the launch
   */
  public KernelLaunch signal(List<Signal> signals) {
    return new KernelLaunch(
        kernels,
        "symshuffle_signal",
        kernels.smallShape(signals.size()),
        SIGNAL_DESCRIPTOR_BYTES * signals.size(),
        to -> writeSignals(signals, to),
        place ->
            new BenchmarkStruct.SignalArguments(
                place.tables(), place.status(), signals.size(), kernels.pe()));
  }

  /**
   * Prepares a wait until words have at least some values, with a timeout.
   *
   * @param signals the words and their minimum values
   * @param limit timeout, by the GPU's clock
   * @return the launch; {@link KernelLaunch#await} names the PEs that did not arrive
   */
  public KernelLaunch await(List<Signal> signals, Duration limit) {
    return new KernelLaunch(
        kernels,
        "symshuffle_wait",
        kernels.smallShape(signals.size()),
        SIGNAL_DESCRIPTOR_BYTES * signals.size(),
        to -> writeSignals(signals, to),
        place ->
            new BenchmarkStruct.WaitArguments(
                place.tables(), place.status(), 0, limit.toNanos(), signals.size(), kernels.pe()));
  }

  private static void writeSignals(List<Signal> signals, MemorySegment to) {
    long at = 0;
    for (Signal signal : signals) {
      to.set(JAVA_LONG, at, signal.address());
      to.set(JAVA_LONG, at + 8, signal.value());
      to.set(JAVA_INT, at + 16, signal.pe());
      at += SIGNAL_DESCRIPTOR_BYTES;
    }
  }

  /**
   * Prepares a barrier of all PEs on streams.
   *
   * @param arrivals each PE's array of arrivals, at its address on this GPU: u64[PEs], zeroed once
   *     before any PE's first round
   * @param limit timeout of a round, by the GPU's clock
   * @return the launch
   */
  public BarrierLaunch barrier(List<DeviceRange> arrivals, Duration limit) {
    for (DeviceRange array : arrivals) {
      if (array.bytes() != (long) Long.BYTES * arrivals.size() || array.address() % 8 != 0) {
        throw new IllegalArgumentException(
            "a barrier of %d PEs needs arrays of %d bytes, not %s"
                .formatted(arrivals.size(), Long.BYTES * arrivals.size(), array));
      }
    }
    if (kernels.pe() >= arrivals.size()) {
      throw new IllegalArgumentException(
          "PE %d cannot take part in a barrier of %d PEs".formatted(kernels.pe(), arrivals.size()));
    }
    return new BarrierLaunch(
        kernels,
        "symshuffle_barrier",
        kernels.smallShape(arrivals.size()),
        (long) Long.BYTES * arrivals.size(),
        to -> writeAddresses(arrivals, to),
        place ->
            new BenchmarkStruct.BarrierArguments(
                place.tables(),
                place.status(),
                0,
                limit.toNanos(),
                0,
                arrivals.size(),
                kernels.pe()),
        DeviceStruct.offset(BenchmarkStruct.BarrierArguments.class, "round"),
        1);
  }

  /**
   * Prepares a reduction of the elements of all inputs, in order, into every output. If it uses
   * other PEs' memory, it needs a barrier before and after.
   *
   * @param type type of the elements
   * @param operation operation on the elements
   * @param inputs one range per PE, of the same length, in the same order on all PEs
   * @param outputs ranges of the same length
   * @param firstElement index of the first element
   * @param elementCount number of elements
   * @return the launch
   */
  public KernelLaunch reduce(
      ElementType type,
      ReduceOperation operation,
      List<DeviceRange> inputs,
      List<DeviceRange> outputs,
      long firstElement,
      long elementCount) {
    if (inputs.isEmpty() || outputs.isEmpty()) {
      throw new IllegalArgumentException("a reduction needs inputs and outputs");
    }
    for (List<DeviceRange> ranges : List.of(inputs, outputs)) {
      ranges.forEach(range -> type.check(range, firstElement, elementCount));
    }
    long outputsOffset = (long) Long.BYTES * inputs.size();
    return new KernelLaunch(
        kernels,
        "symshuffle_reduce",
        kernels.spreadShape(elementCount * type.bytes()),
        outputsOffset + (long) Long.BYTES * outputs.size(),
        to -> {
          writeAddresses(inputs, to);
          writeAddresses(outputs, to.asSlice(outputsOffset));
        },
        place ->
            new BenchmarkStruct.ReduceArguments(
                place.tables(),
                place.tables() + outputsOffset,
                place.status(),
                firstElement,
                elementCount,
                inputs.size(),
                outputs.size(),
                type.number(),
                operation.number(),
                kernels.pe(),
                0));
  }

  /**
   * Prepares a broadcast of one range to several others.
   *
   * @param source memory to read, at most 16 GiB; any alignment
   * @param destinations memory to write, of the same length
   * @return the launch
   */
  public KernelLaunch broadcast(DeviceRange source, List<DeviceRange> destinations) {
    destinations.forEach(destination -> new Piece(source, destination, kernels.pe()));
    return new KernelLaunch(
        kernels,
        "symshuffle_broadcast",
        kernels.spreadShape(source.bytes() * Math.max(1, destinations.size())),
        (long) Long.BYTES * destinations.size(),
        to -> writeAddresses(destinations, to),
        place ->
            new BenchmarkStruct.BroadcastArguments(
                source.address(),
                place.tables(),
                place.status(),
                source.bytes(),
                destinations.size(),
                kernels.pe()));
  }

  /** Writes u64[ranges]. */
  private static void writeAddresses(List<DeviceRange> ranges, MemorySegment to) {
    for (int i = 0; i < ranges.size(); i++) {
      to.setAtIndex(JAVA_LONG, i, ranges.get(i).address());
    }
  }
}
