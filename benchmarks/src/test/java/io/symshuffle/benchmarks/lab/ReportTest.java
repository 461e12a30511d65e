// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ReportTest {
  @Test
  void busBandwidthCountsWhatMustLeaveEachPe() {
    List<Double> times = List.of(1.0, 2.0, 1.0, 1.0);
    assertEquals(1.5, Measurement.of("m", 4000, times, 0, true).busGBps(), 1e-9);
  }
}
