// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import io.symshuffle.ffi.Symbol;
import io.symshuffle.nvshmem.NvshmemError;
import io.symshuffle.nvshmem.NvshmemRuntime;
import java.util.List;

/** NVSHMEM's calls on a stream, which its owner thread queues. */
final class NvshmemExchange implements Exchange {
  private static final int NVSHMEM_TEAM_WORLD = 0;

  /**
   * The functions of libnvshmem_host.so.3 that only benchmarks call, with their prototypes from
   * nvshmemx_api.h and nvshmemx_coll_api.h of NVSHMEM 3.4.5. Every 3.x since 3.3 has them. A team
   * is an int; device addresses and handles are {@code long}. Functions without a result print a
   * message and end the process when they fail.
   */
  interface Api {
    // void nvshmemx_putmem_nbi_on_stream(void *dest, const void *source, size_t bytes, int pe,
    //                                    cudaStream_t cstrm);
    @Symbol("nvshmemx_putmem_nbi_on_stream")
    void putNonBlockingOnStream(long destination, long source, long bytes, int pe, long stream);

    // void nvshmemx_quiet_on_stream(cudaStream_t cstrm);
    @Symbol("nvshmemx_quiet_on_stream")
    void quietOnStream(long stream);

    // int nvshmemx_alltoallmem_on_stream(nvshmem_team_t team, void *dest, const void *src,
    //                                    size_t nelem, cudaStream_t stream);
    @Symbol("nvshmemx_alltoallmem_on_stream")
    int allToAllOnStream(int team, long destination, long source, long bytesPerPe, long stream);
  }

  /** Queues an exchange. */
  @FunctionalInterface
  private interface Call {
    void queue(long bytes, CudaStream stream);
  }

  private final String name;
  private final NvshmemRuntime runtime;
  private final Call call;
  private long bytes;

  private NvshmemExchange(String name, NvshmemRuntime runtime, Call call) {
    this.name = name;
    this.runtime = runtime;
    this.call = call;
  }

  /** Returns puts, one per peer and then a quiet, and NVSHMEM's own all-to-all. */
  static List<Exchange> all(NvshmemRuntime runtime, Buffers buffers) {
    Api api =
        NativeInterface.bind(
                NativeLibrary.open(List.of(runtime.library().name())), NvshmemExchange.Api.class)
            .calls();
    return List.of(
        new NvshmemExchange(
            "NVSHMEM put", runtime, (bytes, stream) -> put(api, buffers, bytes, stream)),
        new NvshmemExchange(
            "NVSHMEM all-to-all",
            runtime,
            (bytes, stream) ->
                NvshmemError.check(
                    api.allToAllOnStream(
                        NVSHMEM_TEAM_WORLD,
                        buffers.received(bytes).address(),
                        buffers.sent(bytes).address(),
                        bytes / buffers.peCount(),
                        stream.address()),
                    "nvshmemx_alltoallmem_on_stream",
                    bytes)));
  }

  private static void put(Api api, Buffers buffers, long bytes, CudaStream stream) {
    int me = buffers.pe();
    // On another PE a symmetric address refers to the same offset in that PE's memory.
    long there = buffers.receiveBlock(me, bytes).address();
    for (int k = 0; k < buffers.peCount(); k++) {
      int pe = buffers.turn(k);
      DeviceRange block = buffers.sendBlock(me, pe, bytes);
      api.putNonBlockingOnStream(there, block.address(), block.bytes(), pe, stream.address());
    }
    api.quietOnStream(stream.address());
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
    runtime.run(
        name,
        PeGpu.LIMIT,
        calls -> {
          for (int i = 0; i < times; i++) {
            call.queue(bytes, stream);
          }
        });
  }
}
