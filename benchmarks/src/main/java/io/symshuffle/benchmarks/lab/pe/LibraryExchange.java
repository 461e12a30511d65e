// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.benchmarks.lab.nccl.NcclCommunicator;
import io.symshuffle.benchmarks.lab.nvshmem.NvshmemExtras;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaStream;

/** A call of NVSHMEM or NCCL on a stream. */
final class LibraryExchange implements Exchange {
  /** Name of NCCL's exchange in the report. */
  static final String NCCL = "NCCL send/receive";

  /** Queues exchanges of a size. */
  @FunctionalInterface
  private interface Calls {
    void queue(CudaStream stream, long bytes, int times);
  }

  private final String name;
  private final Calls calls;
  private final Runnable end;
  private long bytes;

  private LibraryExchange(String name, Calls calls, Runnable end) {
    this.name = name;
    this.calls = calls;
    this.end = end;
  }

  /** NVSHMEM's puts on a stream, one per peer, and a quiet. */
  static LibraryExchange nvshmemPut(NvshmemExtras extras, Buffers buffers) {
    return nvshmem(
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
    return nvshmem(
        "NVSHMEM all-to-all",
        extras,
        (nvshmem, stream, bytes) ->
            nvshmem.allToAll(buffers.received(bytes), buffers.sent(bytes), stream));
  }

  @FunctionalInterface
  private interface NvshmemCalls {
    void queue(NvshmemExtras nvshmem, CudaStream stream, long bytes);
  }

  private static LibraryExchange nvshmem(String name, NvshmemExtras extras, NvshmemCalls one) {
    return new LibraryExchange(
        name,
        (stream, bytes, times) ->
            extras.run(
                name,
                PeGpu.LIMIT,
                nvshmem -> {
                  for (int i = 0; i < times; i++) {
                    one.queue(nvshmem, stream, bytes);
                  }
                }),
        () -> {});
  }

  /** NCCL's grouped sends and receives. */
  static LibraryExchange nccl(NcclCommunicator nccl, Buffers buffers) {
    return new LibraryExchange(
        NCCL,
        (stream, bytes, times) -> {
          for (int i = 0; i < times; i++) {
            nccl.allToAll(buffers.received(bytes), buffers.sent(bytes), stream);
          }
        },
        nccl::close);
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
    calls.queue(stream, bytes, times);
  }

  @Override
  public void close() {
    end.run();
  }
}
