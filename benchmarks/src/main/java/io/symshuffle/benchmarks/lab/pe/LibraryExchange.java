// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.benchmarks.lab.nvshmem.NvshmemExtras;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaStream;

/** A call of NVSHMEM on a stream. */
final class LibraryExchange implements Exchange {
  /** Queues an exchange. */
  @FunctionalInterface
  private interface Call {
    void queue(NvshmemExtras nvshmem, CudaStream stream, long bytes);
  }

  private final String name;
  private final NvshmemExtras extras;
  private final Call call;
  private long bytes;

  private LibraryExchange(String name, NvshmemExtras extras, Call call) {
    this.name = name;
    this.extras = extras;
    this.call = call;
  }

  /** NVSHMEM's puts on a stream, one per peer, and a quiet. */
  static LibraryExchange nvshmemPut(NvshmemExtras extras, Buffers buffers) {
    return new LibraryExchange(
        "NVSHMEM put",
        extras,
        (nvshmem, stream, bytes) -> {
          int me = buffers.pe();
          for (int k = 0; k < buffers.peCount(); k++) {
            int pe = buffers.turn(k);
            nvshmem.put(
                buffers.receiveBlock(me, me, bytes), buffers.sendBlock(me, pe, bytes), pe, stream);
          }
          nvshmem.quiet(stream);
        });
  }

  /** NVSHMEM's own all-to-all on a stream. */
  static LibraryExchange nvshmemAllToAll(NvshmemExtras extras, Buffers buffers) {
    return new LibraryExchange(
        "NVSHMEM all-to-all",
        extras,
        (nvshmem, stream, bytes) ->
            nvshmem.allToAll(buffers.received(bytes), buffers.sent(bytes), stream));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public void prepare(long bytesInAll) {
    bytes = bytesInAll;
  }

  @Override
  public void queue(CudaStream stream, int times) {
    extras.run(
        name,
        PeGpu.LIMIT,
        nvshmem -> {
          for (int i = 0; i < times; i++) {
            call.queue(nvshmem, stream, bytes);
          }
        });
  }

  @Override
  public void close() {}
}
