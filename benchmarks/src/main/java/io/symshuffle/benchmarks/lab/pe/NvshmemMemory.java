// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.benchmarks.lab.nvshmem.NvshmemExtras;
import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.ProcessEnvironment;
import io.symshuffle.nvshmem.SymmetricBuffer;
import java.util.Optional;

/** NVSHMEM's symmetric memory, which all PEs read and write. */
final class NvshmemMemory implements GpuMemory {
  private final PeGpu gpu;
  private final NvshmemExtras extras;
  private final Buffers buffers;
  private final Optional<DeviceRange> multicast;

  /** Starts NVSHMEM and allocates two buffers of this length. */
  NvshmemMemory(PeArguments job, long bytes, boolean multicast) throws Exception {
    if (multicast) {
      // NVSHMEM creates multicast objects when it starts; the product and the other runs do not.
      ProcessEnvironment.setIfUnset("NVSHMEM_DISABLE_NVLS", "0");
    }
    gpu = PeGpu.start(job, 2 * bytes + (64 << 20));
    SymmetricBuffer send = gpu.runtime().allocate(bytes, PeGpu.LIMIT);
    SymmetricBuffer receive = gpu.runtime().allocate(bytes, PeGpu.LIMIT);
    SymmetricBuffer counters = gpu.runtime().allocate(COUNTER_BYTES, PeGpu.LIMIT);
    this.extras = new NvshmemExtras(gpu.runtime(), send, receive);
    this.buffers =
        new Buffers(
            send::peer,
            receive::peer,
            pe -> counters.peer(pe).map(range -> range.slice(0, Long.BYTES)),
            job.pe(),
            job.peCount());
    this.multicast = multicast ? extras.multicast(send, PeGpu.LIMIT) : Optional.empty();
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
  public Optional<DeviceRange> multicast() {
    return multicast;
  }

  @Override
  public void free() {
    gpu.runtime().finish(PeGpu.LIMIT);
    gpu.runtime().close();
  }
}
