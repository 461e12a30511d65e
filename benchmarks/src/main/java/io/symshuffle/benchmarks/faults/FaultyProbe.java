// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.faults;

import io.symshuffle.heap.HeapException;
import io.symshuffle.shuffle.output.PeProbe;
import java.io.IOException;

/** Fails to open the heap files of other PEs, as if there were no free descriptor (EMFILE). */
final class FaultyProbe implements PeProbe {
  private final PeProbe probe;
  private final Faults faults;

  FaultyProbe(PeProbe probe, Faults faults) {
    this.probe = probe;
    this.faults = faults;
  }

  @Override
  public boolean isAlive(int pe) {
    try {
      faults.strike(FaultPoint.PROBE);
    } catch (IOException e) {
      throw new HeapException(e.getMessage(), e);
    }
    return probe.isAlive(pe);
  }
}
