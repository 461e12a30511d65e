// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.collectives;

import io.symshuffle.cli.pe.Backend;
import io.symshuffle.cli.pe.PeArguments;
import io.symshuffle.cli.pe.PeGpu;
import io.symshuffle.cli.pe.PeLine;
import io.symshuffle.cli.pe.PeMain;
import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.PinnedBuffer;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.Kernels;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A PE with a GPU, in its own process: times each all-to-all at each size, and checks what it
 * received. Reports lines of the kinds {@code device} (name), {@code skipped} (method, reason) and
 * {@code result} (method, bytes, microseconds, whether the received data is correct).
 */
public final class GpuPe {
  private static final long STAGING_BYTES = 32L << 20;

  /** Small exchanges are repeated more often. */
  private static final long WORK_BYTES = 4L << 30;

  private final PeArguments job;
  private final GpuMemory memory;
  private final CudaStream stream;
  private final PinnedBuffer staging;
  private final List<RandomContent> contents;

  private GpuPe(PeArguments job, GpuMemory memory, CudaStream stream, PinnedBuffer staging) {
    this.job = job;
    this.memory = memory;
    this.stream = stream;
    this.staging = staging;
    this.contents = IntStream.range(0, job.peCount()).mapToObj(RandomContent::of).toList();
  }

  /**
   * Runs a PE.
   *
   * @param arguments those of {@link PeArguments}, then the sizes: bytes of each PE's data,
   *     multiples of 16 bytes times the number of PEs, in ascending order
   */
  public static void main(String[] arguments) {
    PeMain.run(arguments, job -> run(job, job.more().stream().map(Long::valueOf).toList()));
  }

  private static void run(PeArguments job, List<Long> sizes) throws Exception {
    long most = sizes.getLast();
    GpuMemory memory =
        job.backend() == Backend.CUDA ? new CudaMemory(job, most) : new NvshmemMemory(job, most);
    PeLine.print("device", memory.context().device().name());
    try (CudaStream stream = memory.context().newStream();
        PinnedBuffer staging = memory.context().allocatePinned(STAGING_BYTES)) {
      new GpuPe(job, memory, stream, staging).measure(sizes);
    }
    memory.free();
  }

  private void measure(List<Long> sizes) throws Exception {
    send(memory.buffers().sent(sizes.getLast()));
    memory.barrier();
    List<Exchange> exchanges = exchanges();
    for (Exchange exchange : exchanges) {
      for (long bytes : sizes) {
        measure(exchange, bytes);
      }
    }
    exchanges.forEach(Exchange::close);
  }

  private List<Exchange> exchanges() {
    List<Exchange> exchanges = new ArrayList<>();
    KernelImage image = KernelImage.find();
    if (image.absence().isPresent()) {
      PeLine.print("skipped", "pull kernel", image.absence().get());
    } else {
      Kernels kernels = Kernels.load(memory.context(), image, job.pe());
      exchanges.add(new KernelExchange(kernels, memory.buffers()));
    }
    exchanges.add(new CopyEngineExchange(memory.context(), memory.buffers()));
    memory
        .nvshmem()
        .ifPresent(runtime -> exchanges.addAll(NvshmemExchange.all(runtime, memory.buffers())));
    return exchanges;
  }

  private void measure(Exchange exchange, long bytes) throws Exception {
    stream.fill(memory.buffers().received(bytes), (byte) 0);
    stream.synchronize(PeGpu.LIMIT);
    exchange.prepare(bytes);
    double microseconds = time(exchange, bytes);
    exchange.check(stream);
    memory.barrier();
    PeLine.print("result", exchange.name(), bytes, microseconds, hasReceived(bytes));
    memory.barrier();
  }

  /** Measures the device time of one exchange, with all PEs in parallel. */
  private double time(Exchange exchange, long bytes) throws Exception {
    int times = Math.clamp(WORK_BYTES / bytes, 5, 200);
    try (CudaEvent start = stream.context().newEvent();
        CudaEvent end = stream.context().newEvent()) {
      // Small exchanges take mostly time of Java code, which has to be compiled.
      exchange.queue(stream, Math.max(3, times / 2));
      stream.synchronize(PeGpu.LIMIT);
      memory.barrier();
      stream.record(start);
      exchange.queue(stream, times);
      stream.record(end);
      stream.synchronize(PeGpu.LIMIT);
      return start.microsecondsTo(end) / times;
    }
  }

  private void send(DeviceRange buffer) throws Exception {
    RandomContent content = contents.get(job.pe());
    for (long done = 0; done < buffer.bytes(); done += STAGING_BYTES) {
      MemorySegment part = part(buffer.bytes() - done);
      content.write(done, part);
      stream.copyIn(buffer.slice(done, part.byteSize()), part);
      stream.synchronize(PeGpu.LIMIT);
    }
  }

  /** Returns whether block i is the block for this PE of PE i's data. */
  private boolean hasReceived(long bytes) throws Exception {
    long length = bytes / job.peCount();
    for (int from = 0; from < job.peCount(); from++) {
      RandomContent content = contents.get(from);
      DeviceRange block = memory.buffers().receiveBlock(from, bytes);
      for (long done = 0; done < length; done += STAGING_BYTES) {
        MemorySegment part = part(length - done);
        stream.copyOut(part, block.slice(done, part.byteSize()));
        stream.synchronize(PeGpu.LIMIT);
        if (!content.matches(job.pe() * length + done, part)) {
          return false;
        }
      }
    }
    return true;
  }

  private MemorySegment part(long bytes) {
    return staging.memory().asSlice(0, Math.min(STAGING_BYTES, bytes));
  }
}
