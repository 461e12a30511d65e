// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.benchmarks.lab.nvshmem.NvshmemExtras;
import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.nvshmem.SymmetricBuffer;
import java.util.Optional;

/** NVSHMEM's symmetric memory, which all PEs read and write. */
final class NvshmemMemory implements GpuMemory {
  private final PeGpu gpu;
  private final NvshmemExtras extras;
  private final Buffers buffers;

  /** Starts NVSHMEM and allocates two buffers of this length. */
  NvshmemMemory(PeArguments job, long bytes) throws Exception {
    gpu = PeGpu.start(job, 2 * bytes + (64 << 20));
    SymmetricBuffer send = gpu.runtime().allocate(bytes, PeGpu.LIMIT);
    SymmetricBuffer receive = gpu.runtime().allocate(bytes, PeGpu.LIMIT);
    this.extras = new NvshmemExtras(gpu.runtime(), send, receive);
    this.buffers = new Buffers(send::peer, receive::peer, job.pe(), job.peCount());
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
  public Optional<NvshmemExtras> nvshmem() {
    return Optional.of(extras);
  }

  @Override
  public void free() {
    gpu.runtime().finish(PeGpu.LIMIT);
    gpu.runtime().close();
  }
}
