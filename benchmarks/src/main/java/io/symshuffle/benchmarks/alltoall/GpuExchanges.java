// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.alltoall;

import io.symshuffle.benchmarks.kernel.BenchmarkKernels;
import io.symshuffle.benchmarks.nccl.NcclLibrary;
import io.symshuffle.benchmarks.nvshmem.NvshmemExtras;
import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cli.pe.PeLine;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.PinnedBuffer;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.nvml.NvLinks;
import io.symshuffle.nvml.Nvml;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.SymmetricBuffer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** Runs all implementations on GPUs, each with all sizes. */
final class GpuExchanges {
  private static final long STAGING_BYTES = 32L << 20;

  private final PeArguments job;
  private final long seed;

  GpuExchanges(PeArguments job, long seed) {
    this.job = job;
    this.seed = seed;
  }

  void run(List<Long> sizes) throws Exception {
    long most = sizes.stream().mapToLong(Long::longValue).max().orElseThrow();
    PeGpu gpu = PeGpu.start(job, 2 * most + (64 << 20));
    NvshmemRuntime runtime = gpu.runtime();
    CudaContext context = gpu.context();
    PeLine.print("device", describe(context));
    SymmetricBuffer send = runtime.allocate(most, PeGpu.LIMIT);
    SymmetricBuffer receive = runtime.allocate(most, PeGpu.LIMIT);
    Buffers buffers = new Buffers(send::peer, receive::peer, job.pe(), job.peCount());
    List<Exchange> exchanges = exchanges(gpu, buffers, new NvshmemExtras(runtime, send, receive));
    measure(
        context,
        send.local(),
        receive.local(),
        sizes,
        exchanges,
        () -> runtime.barrier(PeGpu.LIMIT));
    runtime.finish(PeGpu.LIMIT);
    runtime.close();
  }

  /** Waits for all PEs. */
  @FunctionalInterface
  interface Barrier {
    void await() throws Exception;
  }

  /** Measures each exchange with each size, checks what arrived, and closes the exchanges. */
  void measure(
      CudaContext context,
      DeviceRange send,
      DeviceRange receive,
      List<Long> sizes,
      List<Exchange> exchanges,
      Barrier barrier)
      throws Exception {
    try (CudaStream stream = context.newStream();
        PinnedBuffer staging = context.allocatePinned(STAGING_BYTES)) {
      List<RandomContent> contents = new ArrayList<>();
      for (int pe = 0; pe < job.peCount(); pe++) {
        contents.add(new RandomContent(seed, pe));
      }
      fill(stream, staging, send, contents.get(job.pe()));
      for (Exchange exchange : exchanges) {
        for (long bytes : sizes) {
          stream.fill(receive.slice(0, bytes), (byte) 0);
          stream.synchronize(PeGpu.LIMIT);
          exchange.prepare(bytes);
          double microseconds = time(barrier, stream, exchange, bytes);
          exchange.check(stream);
          barrier.await();
          boolean right = verify(stream, staging, receive.slice(0, bytes), contents);
          PeLine.print("result", exchange.name(), bytes, microseconds, exchange.ctas(), right);
          barrier.await();
        }
      }
      exchanges.forEach(Exchange::close);
    }
  }

  static Object[] describe(CudaContext context) {
    String uuid = context.device().uuid();
    Nvml nvml = Nvml.system();
    NvLinks links = nvml.absence().isPresent() ? new NvLinks(0, 0) : nvml.device(uuid).links();
    return new Object[] {context.device().name(), uuid, links, links.totalBytesPerSecond()};
  }

  private List<Exchange> exchanges(PeGpu gpu, Buffers buffers, NvshmemExtras extras)
      throws Exception {
    List<Exchange> exchanges = new ArrayList<>();
    KernelImage image = KernelImage.find();
    KernelImage extraImage = BenchmarkKernels.image();
    if (image.absence().isPresent()) {
      PeLine.print("skipped", "pull, push", image.absence().get());
    } else {
      Kernels kernels = Kernels.load(gpu.context(), image, job.pe());
      BenchmarkKernels extraKernels = BenchmarkKernels.load(gpu.context(), extraImage, job.pe());
      exchanges.add(new PeerCopyExchange(true, kernels, extraKernels, buffers));
      exchanges.add(new PeerCopyExchange(false, kernels, extraKernels, buffers));
      exchanges.add(
          new KernelExchange(
              KernelExchange.Kind.PULL, kernels, extraKernels, buffers, OptionalInt.empty()));
      for (int ctas : new int[] {16, 64, kernels.multiprocessors()}) {
        exchanges.add(
            new KernelExchange(
                KernelExchange.Kind.PULL, kernels, extraKernels, buffers, OptionalInt.of(ctas)));
      }
      if (extraKernels.isHopperOrNewer()) {
        exchanges.add(
            new KernelExchange(
                KernelExchange.Kind.PULL_TMA, kernels, extraKernels, buffers, OptionalInt.empty()));
      }
      exchanges.add(
          new KernelExchange(
              KernelExchange.Kind.PUSH, kernels, extraKernels, buffers, OptionalInt.empty()));
    }
    for (boolean pull : new boolean[] {true, false}) {
      exchanges.add(new CopyEngineExchange(pull, false, gpu.context(), buffers));
      if (job.peCount() > 2) {
        exchanges.add(new CopyEngineExchange(pull, true, gpu.context(), buffers));
      }
    }
    exchanges.add(new NvshmemPutExchange(extras, buffers));
    exchanges.add(new NvshmemCollectiveExchange(extras, buffers));
    NcclLibrary nccl = NcclLibrary.system();
    if (nccl.absence().isPresent()) {
      PeLine.print("skipped", "NCCL send/receive", nccl.absence().get());
    } else {
      byte[] id = PeGpu.shared(job, "nccl-id", nccl::newUniqueId);
      exchanges.add(
          new NcclExchange(nccl.connect(gpu.context(), id, job.pe(), job.peCount()), buffers));
    }
    return exchanges;
  }

  /** Measures the device time of one exchange, with all PEs in parallel. */
  private static double time(Barrier barrier, CudaStream stream, Exchange exchange, long bytes)
      throws Exception {
    try (CudaEvent start = stream.context().newEvent();
        CudaEvent end = stream.context().newEvent()) {
      exchange.queue(stream, Repetitions.warmUps(bytes));
      stream.synchronize(PeGpu.LIMIT);
      barrier.await();
      stream.record(start);
      exchange.queue(stream, Repetitions.of(bytes));
      stream.record(end);
      stream.synchronize(PeGpu.LIMIT);
      return start.microsecondsTo(end) / Repetitions.of(bytes);
    }
  }

  private static void fill(
      CudaStream stream, PinnedBuffer staging, DeviceRange to, RandomContent content)
      throws Exception {
    for (long done = 0; done < to.bytes(); done += STAGING_BYTES) {
      MemorySegment part = staging.memory().asSlice(0, Math.min(STAGING_BYTES, to.bytes() - done));
      content.write(done, part);
      stream.copyIn(to.slice(done, part.byteSize()), part);
      stream.synchronize(PeGpu.LIMIT);
    }
  }

  private boolean verify(
      CudaStream stream, PinnedBuffer staging, DeviceRange got, List<RandomContent> contents)
      throws Exception {
    long block = got.bytes() / job.peCount();
    for (int pe = 0; pe < job.peCount(); pe++) {
      for (long done = 0; done < block; done += STAGING_BYTES) {
        MemorySegment part = staging.memory().asSlice(0, Math.min(STAGING_BYTES, block - done));
        stream.copyOut(part, got.slice(pe * block + done, part.byteSize()));
        stream.synchronize(PeGpu.LIMIT);
        if (!contents.get(pe).matches(job.pe() * block + done, part)) {
          return false;
        }
      }
    }
    return true;
  }
}
