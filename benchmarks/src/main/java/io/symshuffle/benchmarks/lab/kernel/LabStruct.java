// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import java.util.List;

/**
 * The structs of lab_layout.h, which documents each field; see {@link
 * io.symshuffle.kernel.DeviceStruct}.
 */
sealed interface LabStruct {

  /** As PullArguments, which {@link io.symshuffle.kernel.PieceTable} passes. */
  record PullArguments(
      long descriptors,
      long status,
      int descriptorCount,
      int unitCount,
      int tileUnits,
      int spans,
      int pe,
      int reserved)
      implements LabStruct {}

  /** As BarrierArguments. */
  record BarrierArguments(
      long counters, long status, long timeoutNanoseconds, long round, int peCount, int pe)
      implements LabStruct {}

  /** As SumArguments. */
  record SumArguments(long inputs, long output, long status, long granules, int inputCount, int pe)
      implements LabStruct {}

  /** Returns all structs, in the order in which the fatbin exports their sizes. */
  static List<Class<? extends Record>> all() {
    return List.of(PullArguments.class, BarrierArguments.class, SumArguments.class);
  }
}
