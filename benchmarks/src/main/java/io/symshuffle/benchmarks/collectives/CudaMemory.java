// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.gpu.CudaHeap;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.nvshmem.NvshmemRuntime;
import java.util.List;
import java.util.Optional;

/** A heap of CUDA memory, whose peers are mapped read-only, and a receive buffer beside it. */
final class CudaMemory implements GpuMemory {
  private static final long FLAGS_BYTES = 64L << 10;
  private static final long CHUNK_BYTES = 256L << 20;

  private final CudaContext context;
  private final HostHeap flags;
  private final CudaHeap heap;
  private final DeviceBuffer receive;
  private final HostBarrier barrier;
  private final Buffers buffers;

  /** Opens a heap with a send buffer of this length. */
  CudaMemory(PeArguments job, long bytes) throws Exception {
    context = CudaDriver.system().device(job.pe()).openPrimaryContext();
    HeapFolder folder =
        HeapFolder.open(job.folder(), new FolderToken(job.token()), List.of(job.folder()));
    flags = HostHeap.create(folder, job.pe(), FLAGS_BYTES);
    heap =
        CudaHeap.open(context, folder, job.pe(), bytes + CHUNK_BYTES, Math.min(CHUNK_BYTES, bytes));
    receive = context.allocate(bytes);
    flags.backing().reserve(0, FLAGS_BYTES);
    barrier = new HostBarrier(flags, 0, job.peCount());
    Slab slab =
        heap.slabs()
            .allocate(bytes)
            .orElseThrow(() -> new IllegalStateException("the GPU has no free memory"));
    // The first slab has the same place on all PEs.
    buffers =
        new Buffers(
            pe -> heap.range(pe, slab.offset(), bytes), receive.range(), job.pe(), job.peCount());
  }

  @Override
  public CudaContext context() {
    return context;
  }

  @Override
  public Buffers buffers() {
    return buffers;
  }

  @Override
  public void barrier() throws Exception {
    barrier.await();
  }

  @Override
  public Optional<NvshmemRuntime> nvshmem() {
    return Optional.empty();
  }

  @Override
  public void free() {
    receive.close();
    heap.close();
    flags.close();
  }
}
