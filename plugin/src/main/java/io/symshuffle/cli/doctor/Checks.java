// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.List;
import java.util.stream.Stream;

/** All checks, in display order. */
final class Checks {
  private static final List<Check> ALL =
      Stream.of(
              JavaChecks.ALL,
              SparkChecks.ALL,
              TuningChecks.ALL,
              MemoryChecks.ALL,
              NetworkChecks.ALL,
              GpuChecks.ALL,
              PinnedMemoryChecks.ALL,
              NvshmemChecks.ALL,
              CudaHeapChecks.ALL)
          .flatMap(List::stream)
          .toList();

  private Checks() {}

  static List<Check> all() {
    return ALL;
  }
}
