// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.pe;

import io.symshuffle.cli.pe.Backend;
import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cli.pe.PeLine;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.PinnedBuffer;
import io.symshuffle.nvml.NvLinks;
import io.symshuffle.nvml.Nvml;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Runs all implementations on GPUs, each with all sizes. */
final class GpuRun {
  private static final long STAGING_BYTES = 32L << 20;

  private final PeArguments job;
  private final long seed;

  GpuRun(PeArguments job, long seed) {
    this.job = job;
    this.seed = seed;
  }

  void run(List<Long> sizes) throws Exception {
    long most = sizes.stream().mapToLong(Long::longValue).max().orElseThrow();
    GpuMemory memory =
        job.backend() == Backend.CUDA ? new CudaMemory(job, most) : new NvshmemMemory(job, most);
    PeLine.print("device", describe(memory.context()));
    try (CudaStream stream = memory.context().newStream();
        PinnedBuffer staging = memory.context().allocatePinned(STAGING_BYTES)) {
      Contents contents = Contents.of(seed, job.pe(), job.peCount());
      fill(stream, staging, memory.buffers().sent(most), contents.sent());
      memory.barrier();
      List<Exchange> exchanges = new Methods(job, memory).all();
      for (Exchange exchange : exchanges) {
        for (long bytes : sizes) {
          measure(memory, stream, staging, exchange, bytes, contents);
        }
      }
      exchanges.forEach(Exchange::close);
    }
    memory.free();
  }

  private static Object[] describe(CudaContext context) {
    String uuid = context.device().uuid();
    Nvml nvml = Nvml.system();
    NvLinks links = nvml.absence().isPresent() ? new NvLinks(0, 0) : nvml.device(uuid).links();
    return new Object[] {context.device().name(), uuid, links, links.totalBytesPerSecond()};
  }

  /** Measures an exchange of a size and checks what arrived. */
  private static void measure(
      GpuMemory memory,
      CudaStream stream,
      PinnedBuffer staging,
      Exchange exchange,
      long bytes,
      Contents contents)
      throws Exception {
    DeviceRange receive = memory.buffers().received(bytes);
    stream.fill(receive, (byte) 0);
    stream.synchronize(PeGpu.LIMIT);
    exchange.prepare(bytes);
    double microseconds = time(memory, stream, exchange, bytes);
    exchange.check(stream);
    memory.barrier();
    boolean right =
        contents.areIn(
            bytes,
            (at, length, content, offset) ->
                matches(stream, staging, receive.slice(at, length), content, offset));
    PeLine.print("result", exchange.name(), bytes, microseconds, exchange.ctas(), right);
    memory.barrier();
  }

  /** Measures the device time of one exchange, with all PEs in parallel. */
  private static double time(GpuMemory memory, CudaStream stream, Exchange exchange, long bytes)
      throws Exception {
    try (CudaEvent start = stream.context().newEvent();
        CudaEvent end = stream.context().newEvent()) {
      exchange.queue(stream, Repetitions.warmUps(bytes));
      stream.synchronize(PeGpu.LIMIT);
      memory.barrier();
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

  private static boolean matches(
      CudaStream stream, PinnedBuffer staging, DeviceRange got, RandomContent content, long offset)
      throws Exception {
    for (long done = 0; done < got.bytes(); done += STAGING_BYTES) {
      MemorySegment part = staging.memory().asSlice(0, Math.min(STAGING_BYTES, got.bytes() - done));
      stream.copyOut(part, got.slice(done, part.byteSize()));
      stream.synchronize(PeGpu.LIMIT);
      if (!content.matches(offset + done, part)) {
        return false;
      }
    }
    return true;
  }
}
