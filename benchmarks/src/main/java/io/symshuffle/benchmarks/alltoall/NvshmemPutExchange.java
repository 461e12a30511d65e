// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import io.symshuffle.benchmarks.nvshmem.NvshmemExtras;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaStream;

/** NVSHMEM's puts on a stream, one per peer, and a quiet. */
final class NvshmemPutExchange implements Exchange {
  private final NvshmemExtras extras;
  private final Buffers buffers;
  private long bytes;

  NvshmemPutExchange(NvshmemExtras extras, Buffers buffers) {
    this.extras = extras;
    this.buffers = buffers;
  }

  @Override
  public String name() {
    return "NVSHMEM put";
  }

  @Override
  public void prepare(long bytesInAll) {
    bytes = bytesInAll;
  }

  @Override
  public void queue(CudaStream stream, int times) {
    int me = buffers.pe();
    extras.run(
        "puts",
        PeGpu.LIMIT,
        calls -> {
          for (int i = 0; i < times; i++) {
            for (int k = 0; k < buffers.peCount(); k++) {
              int pe = buffers.turn(k);
              calls.putNonBlocking(
                  buffers.receiveBlock(me, me, bytes),
                  buffers.sendBlock(me, pe, bytes),
                  pe,
                  stream);
            }
            calls.quiet(stream);
          }
        });
  }
}
