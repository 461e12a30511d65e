// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.barrier;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.barrier.SymmetricMemory;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.ffi.NativeInterface;
import io.symshuffle.ffi.NativeLibrary;
import io.symshuffle.ffi.Symbol;
import io.symshuffle.nvshmem.NvshmemError;
import io.symshuffle.nvshmem.NvshmemHeap;
import io.symshuffle.nvshmem.NvshmemRuntime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.spark.BarrierTaskContext;

/** NVSHMEM's collectives, in a device heap of NVSHMEM, with its numbers of PEs. */
final class NvshmemMemory extends GpuMemory {
  private static final int NVSHMEM_TEAM_WORLD = 0;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /**
   * The functions of libnvshmem_host.so.3 that only benchmarks call, with their prototypes from
   * nvshmemx_coll_api.h of NVSHMEM 3.4.5. Every 3.x since 3.3 has them. A team is an int; device
   * addresses and streams are {@code long}.
   */
  interface Api {
    // int nvshmemx_float_sum_reduce_on_stream(nvshmem_team_t team, float *dest,
    //     const float *source, size_t nreduce, cudaStream_t stream);
    @Symbol("nvshmemx_float_sum_reduce_on_stream")
    int sumFloatsOnStream(int team, long destination, long source, long count, long stream);

    // int nvshmemx_alltoallmem_on_stream(nvshmem_team_t team, void *dest, const void *src,
    //     size_t nelem, cudaStream_t stream);
    @Symbol("nvshmemx_alltoallmem_on_stream")
    int allToAllOnStream(int team, long destination, long source, long bytesPerPe, long stream);
  }

  private final NvshmemRuntime runtime;
  private final Api api;

  NvshmemMemory(BarrierTaskContext task, SymmetricMemory meeting, long bytes) {
    super(task, bytes);
    runtime = ((NvshmemHeap) tier().heap()).runtime();
    api =
        NativeInterface.bind(NativeLibrary.open(List.of(runtime.library().name())), Api.class)
            .calls();
    long place = address(0) - tier().window().address();
    meeting.local().set(JAVA_LONG, 0, place);
    meeting.broadcast(0, 0, Long.BYTES);
    if (meeting.local().get(JAVA_LONG, 0) != place) {
      throw new IllegalStateException(
          "the memory of PE %d is at another place of its device heap than that of PE 0"
              .formatted(meeting.pe()));
    }
  }

  @Override
  public int pe() {
    return runtime.myPe();
  }

  @Override
  public void allReduce(long count) {
    NvshmemError.check(
        api.sumFloatsOnStream(
            NVSHMEM_TEAM_WORLD, address(0), address(0), count, stream().address()),
        "nvshmemx_float_sum_reduce_on_stream",
        count);
  }

  @Override
  public void allGather(long blockBytes) {
    throw new UnsupportedOperationException("NVSHMEM's all-gather is not measured");
  }

  @Override
  public void allToAll(long blockBytes) {
    NvshmemError.check(
        api.allToAllOnStream(
            NVSHMEM_TEAM_WORLD,
            address(blockBytes * peCount()),
            address(0),
            blockBytes,
            stream().address()),
        "nvshmemx_alltoallmem_on_stream",
        blockBytes);
  }

  @Override
  public Optional<CudaStream> queue() {
    return Optional.of(stream());
  }

  @Override
  public void call(Runnable collectives) {
    runtime.run("collectives", LIMIT, unused -> collectives.run());
  }
}
