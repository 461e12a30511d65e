// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.SymmetricBuffer;
import java.util.Optional;

/** NVSHMEM's symmetric memory, which all PEs read and write. */
final class NvshmemMemory implements GpuMemory {
  private final PeGpu gpu;
  private final Buffers buffers;

  /** Starts NVSHMEM and allocates two buffers of this length. */
  NvshmemMemory(PeArguments job, long bytes) throws Exception {
    gpu = PeGpu.start(job, 2 * bytes + (64 << 20));
    SymmetricBuffer send = gpu.runtime().allocate(bytes, PeGpu.LIMIT);
    SymmetricBuffer receive = gpu.runtime().allocate(bytes, PeGpu.LIMIT);
    this.buffers = new Buffers(send::peer, receive.local(), job.pe(), job.peCount());
  }

  @Override
  public CudaContext context() {
    return gpu.context();
  }

  @Override
  public Buffers buffers() {
    return buffers;
  }

  @Override
  public void barrier() {
    gpu.runtime().barrier(PeGpu.LIMIT);
  }

  @Override
  public Optional<NvshmemRuntime> nvshmem() {
    return Optional.of(gpu.runtime());
  }

  @Override
  public void free() {
    gpu.runtime().finish(PeGpu.LIMIT);
    gpu.runtime().close();
  }
}
