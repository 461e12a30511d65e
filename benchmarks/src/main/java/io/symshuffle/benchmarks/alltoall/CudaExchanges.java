// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import io.symshuffle.benchmarks.kernel.BenchmarkKernels;
import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeLine;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.gpu.CudaHeap;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.Kernels;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Runs the implementations that read other GPUs' memory, in a heap of CUDA memory, whose peers are
 * mapped read-only.
 */
final class CudaExchanges {
  private static final long FLAGS_BYTES = 64L << 10;
  private static final long CHUNK_BYTES = 256L << 20;

  private final PeArguments job;
  private final long seed;

  CudaExchanges(PeArguments job, long seed) {
    this.job = job;
    this.seed = seed;
  }

  void run(List<Long> sizes) throws Exception {
    long most = sizes.stream().mapToLong(Long::longValue).max().orElseThrow();
    CudaDriver driver = CudaDriver.system();
    CudaContext context = driver.device(job.pe()).openPrimaryContext();
    PeLine.print("device", GpuExchanges.describe(context));
    HeapFolder folder =
        HeapFolder.open(job.folder(), new FolderToken(job.token()), List.of(job.folder()));
    try (HostHeap flags = HostHeap.create(folder, job.pe(), FLAGS_BYTES);
        CudaHeap heap =
            CudaHeap.open(
                context, folder, job.pe(), most + CHUNK_BYTES, Math.min(CHUNK_BYTES, most));
        DeviceBuffer receive = context.allocate(most)) {
      flags.backing().reserve(0, FLAGS_BYTES);
      HostBarrier barrier = new HostBarrier(flags, 0, job.peCount());
      Slab slab =
          heap.slabs()
              .allocate(most)
              .orElseThrow(() -> new IllegalStateException("the GPU has no free memory"));
      // The first slab has the same place on all PEs.
      barrier.await();
      Buffers buffers =
          new Buffers(
              pe -> heap.range(pe, slab.offset(), most),
              pe -> pe == job.pe() ? Optional.of(receive.range()) : Optional.empty(),
              job.pe(),
              job.peCount());
      new GpuExchanges(job, seed)
          .measure(
              context,
              heap.window().slice(slab.offset(), most),
              receive.range(),
              sizes,
              exchanges(context, buffers),
              barrier::await);
    }
  }

  private List<Exchange> exchanges(CudaContext context, Buffers buffers) {
    List<Exchange> exchanges = new ArrayList<>();
    KernelImage image = KernelImage.find();
    if (image.absence().isPresent()) {
      PeLine.print("skipped", "pull", image.absence().get());
    } else {
      Kernels kernels = Kernels.load(context, image, job.pe());
      BenchmarkKernels extraKernels =
          BenchmarkKernels.load(context, BenchmarkKernels.image(), job.pe());
      exchanges.add(new PeerCopyExchange(true, kernels, extraKernels, buffers));
      exchanges.add(
          new KernelExchange(
              KernelExchange.Kind.PULL, kernels, extraKernels, buffers, OptionalInt.empty()));
    }
    exchanges.add(new CopyEngineExchange(true, false, context, buffers));
    return exchanges;
  }
}
