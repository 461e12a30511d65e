// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.faults;

import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.serve.OutputReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Damages, delays or truncates blocks that are sent to other executors. */
final class FaultyData implements OutputReader {
  private final OutputReader data;
  private final Faults faults;

  FaultyData(OutputReader data, Faults faults) {
    this.data = data;
    this.faults = faults;
  }

  @Override
  public ByteBuffer read(Tier tier, long place, int count) throws IOException {
    FaultKind fault = faults.strike(FaultPoint.SERVE);
    ByteBuffer intact = data.read(tier, place, count);
    if (fault == FaultKind.TRUNCATE) {
      throw new IOException("injected fault: the transfer ended early");
    }
    if (fault == null) {
      return intact;
    }
    ByteBuffer damaged = ByteBuffer.allocate(count).put(intact).flip();
    faults.damage(MemorySegment.ofBuffer(damaged), fault);
    return damaged;
  }

  @Override
  public void close() {
    data.close();
  }
}
