// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import java.util.List;

/**
 * The structs of benchmark_layout.h, which documents each field; see {@link
 * io.symshuffle.kernel.DeviceStruct}.
 */
sealed interface BenchmarkStruct {

  /** As PullArguments. */
  record PullArguments(
      long descriptors,
      long status,
      int descriptorCount,
      int unitCount,
      int tileUnits,
      int spans,
      int pe,
      int reserved)
      implements BenchmarkStruct {}

  /** As SignalDescriptor. */
  record SignalDescriptor(long address, long value, int pe, int reserved)
      implements BenchmarkStruct {}

  /** As SignalArguments. */
  record SignalArguments(long descriptors, long status, int descriptorCount, int pe)
      implements BenchmarkStruct {}

  /** As WaitArguments. */
  record WaitArguments(
      long descriptors,
      long status,
      long abort,
      long timeoutNanoseconds,
      int descriptorCount,
      int pe)
      implements BenchmarkStruct {}

  /** As BarrierArguments. */
  record BarrierArguments(
      long arrivals,
      long status,
      long abort,
      long timeoutNanoseconds,
      long round,
      int peCount,
      int pe)
      implements BenchmarkStruct {}

  /** As ReduceArguments. */
  record ReduceArguments(
      long inputs,
      long outputs,
      long status,
      long firstElement,
      long elementCount,
      int inputCount,
      int outputCount,
      int type,
      int operation,
      int pe,
      int reserved)
      implements BenchmarkStruct {}

  /** As BroadcastArguments. */
  record BroadcastArguments(
      long source, long destinations, long status, long bytes, int destinationCount, int pe)
      implements BenchmarkStruct {}

  /** As MultimemReduceArguments. */
  record MultimemReduceArguments(
      long input,
      long output,
      long status,
      long firstElement,
      long elementCount,
      int outputIsMulticast,
      int type,
      int operation,
      int pe)
      implements BenchmarkStruct {}

  /** As MultimemBroadcastArguments. */
  record MultimemBroadcastArguments(
      long source, long destination, long status, long bytes, int pe, int reserved)
      implements BenchmarkStruct {}

  /** As MultimemBarrierArguments. */
  record MultimemBarrierArguments(
      long multicastCounter,
      long counter,
      long status,
      long abort,
      long timeoutNanoseconds,
      long expected,
      int pe,
      int reserved)
      implements BenchmarkStruct {}

  /** As DevicePullArguments, whose first field is a PullArguments. */
  record DevicePullArguments(
      long descriptors,
      long status,
      int descriptorCount,
      int unitCount,
      int tileUnits,
      int spans,
      int pe,
      int reserved,
      long peers,
      long heapBase)
      implements BenchmarkStruct {}

  /** Returns all structs, in the order in which the fatbins export their sizes. */
  static List<Class<? extends Record>> all() {
    return List.of(
        PullArguments.class,
        SignalDescriptor.class,
        SignalArguments.class,
        WaitArguments.class,
        BarrierArguments.class,
        ReduceArguments.class,
        BroadcastArguments.class,
        MultimemReduceArguments.class,
        MultimemBroadcastArguments.class,
        MultimemBarrierArguments.class,
        DevicePullArguments.class);
  }
}
