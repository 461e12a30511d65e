// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.barrier;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.barrier.SymmetricMemory;
import io.symshuffle.cuda.CudaStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.apache.spark.BarrierTaskContext;

/** NCCL's collectives. Each PE needs its own GPU. */
final class NcclMemory extends GpuMemory {
  /** ncclFloat32. */
  private static final int FLOAT = 7;

  /** ncclSum. */
  private static final int SUM = 0;

  private final Nccl nccl;
  private final Nccl.Api api;
  private final long communicator;

  /**
   * Connects all PEs.
   *
   * @param meeting memory of the host with {@link Nccl#ID_BYTES}, for the unique id
   */
  NcclMemory(BarrierTaskContext task, SymmetricMemory meeting, long bytes) {
    super(task, bytes);
    nccl = Nccl.open();
    api = nccl.api();
    nccl.absence()
        .ifPresent(
            reason -> {
              throw new IllegalStateException("no NCCL on PE " + pe() + ": " + reason);
            });
    tier().context().use();
    if (pe() == 0) {
      nccl.check(api.ncclGetUniqueId(meeting.local()), "ncclGetUniqueId");
    }
    meeting.broadcast(0, 0, Nccl.ID_BYTES);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment created = arena.allocate(JAVA_LONG);
      nccl.check(
          api.ncclCommInitRank(created, peCount(), meeting.local(), pe()),
          "ncclCommInitRank",
          peCount(),
          pe());
      communicator = created.get(JAVA_LONG, 0);
    }
  }

  @Override
  public void allReduce(long count) {
    long all = address(0);
    nccl.check(
        api.ncclAllReduce(all, all, count, FLOAT, SUM, communicator, stream().address()),
        "ncclAllReduce",
        count);
  }

  @Override
  public void allGather(long blockBytes) {
    long own = address(pe() * blockBytes);
    long count = blockBytes / Float.BYTES;
    nccl.check(
        api.ncclAllGather(own, address(0), count, FLOAT, communicator, stream().address()),
        "ncclAllGather",
        count);
  }

  @Override
  public void allToAll(long blockBytes) {
    long queue = stream().address();
    long count = blockBytes / Float.BYTES;
    nccl.check(api.ncclGroupStart(), "ncclGroupStart");
    for (int pe = 0; pe < peCount(); pe++) {
      long out = address(pe * blockBytes);
      long in = address((peCount() + pe) * blockBytes);
      nccl.check(api.ncclSend(out, count, FLOAT, pe, communicator, queue), "ncclSend", pe, count);
      nccl.check(api.ncclRecv(in, count, FLOAT, pe, communicator, queue), "ncclRecv", pe, count);
    }
    nccl.check(api.ncclGroupEnd(), "ncclGroupEnd");
  }

  @Override
  public Optional<CudaStream> queue() {
    return Optional.of(stream());
  }

  @Override
  public void close() {
    tier().context().use();
    nccl.check(api.ncclCommDestroy(communicator), "ncclCommDestroy");
    super.close();
  }
}
