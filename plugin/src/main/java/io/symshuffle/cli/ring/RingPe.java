// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cli.ring;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cli.pe.Backend;
import io.symshuffle.cli.pe.PeJob;
import io.symshuffle.cli.pe.PeLine;
import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.Segments;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.gpu.CudaHeap;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.nvshmem.InitRequest;
import io.symshuffle.nvshmem.NvshmemEnvironment;
import io.symshuffle.nvshmem.NvshmemHeap;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.UniqueId;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** A PE of the ring: sends 8 integers to its neighbor and checks those that it receives. */
final class RingPe {
  static final int INTEGERS = 8;

  private static final Duration LIMIT = PeJob.PE_LIMIT;
  private static final long WINDOW_BYTES = 128 << 10;
  private static final VarHandle FLAG = Segments.varHandle(JAVA_LONG);

  /** In a window of shared memory: the owner has written the integers. */
  private static final long READY = 64;

  /** In a window of shared memory: the owner has read those of its neighbor. */
  private static final long RECEIVED = 128;

  private final PeJob.Arguments job;
  private final long seed;
  private final int next;
  private final int before;

  private RingPe(PeJob.Arguments job) {
    this.job = job;
    this.seed = Long.parseLong(job.more().get(0));
    this.next = (job.pe() + 1) % job.peCount();
    this.before = (job.pe() + job.peCount() - 1) % job.peCount();
  }

  /** Arguments as {@link PeJob.Arguments}, and the seed. */
  public static void main(String[] arguments) {
    PeJob.runPe(arguments, job -> new RingPe(job).run());
  }

  private void run() throws Exception {
    switch (job.backend()) {
      case SHM -> shareHostMemory();
      case NVSHMEM -> shareGpuMemory();
      case CUDA -> shareCudaMemory();
    }
  }

  private void shareHostMemory() throws Exception {
    HeapFolder folder =
        HeapFolder.open(job.folder(), new FolderToken(job.token()), List.of(job.folder()));
    try (HostHeap heap = HostHeap.create(folder, job.pe(), WINDOW_BYTES)) {
      MemorySegment own = heap.local();
      heap.backing().reserve(0, heap.size());
      MemorySegment.copy(integers(job.pe()), 0, own, JAVA_INT, 0, INTEGERS);
      FLAG.setRelease(own, READY, 1L);
      MemorySegment sender = awaitWindow(heap, before);
      awaitFlag(sender, READY, before);
      report("host memory", sender.asSlice(0, INTEGERS * Integer.BYTES).toArray(JAVA_INT));
      FLAG.setRelease(own, RECEIVED, 1L);
      awaitFlag(awaitWindow(heap, next), RECEIVED, next);
    }
  }

  private static MemorySegment awaitWindow(HostHeap heap, int pe) throws InterruptedException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (heap.peer(pe).isEmpty()) {
      pause(deadline, "PE %d did not create its window".formatted(pe));
    }
    return heap.peer(pe).orElseThrow();
  }

  private static void awaitFlag(MemorySegment window, long offset, int pe)
      throws InterruptedException {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while ((long) FLAG.getAcquire(window, offset) == 0) {
      pause(deadline, "PE %d did not write".formatted(pe));
    }
  }

  private static void pause(long deadline, String failure) throws InterruptedException {
    if (System.nanoTime() - deadline >= 0) {
      throw new IllegalStateException("%s within %d s".formatted(failure, LIMIT.toSeconds()));
    }
    Thread.sleep(1);
  }

  private void shareGpuMemory() throws Exception {
    CudaContext context = openGpu();
    NvshmemRuntime runtime =
        NvshmemRuntime.open(
            Backend.nvshmem(),
            context,
            NvshmemEnvironment.recommended(
                NvshmemHeap.windowBytes(WINDOW_BYTES), Optional.empty()));
    runtime.start(new InitRequest(job.pe(), job.peCount(), sharedId(runtime), LIMIT));
    try (NvshmemHeap heap = NvshmemHeap.create(runtime, WINDOW_BYTES, LIMIT);
        CudaStream stream = context.newStream();
        Arena arena = Arena.ofConfined()) {
      long bytes = INTEGERS * Integer.BYTES;
      MemorySegment host = Segments.allocateCopy(arena, MemorySegment.ofArray(integers(job.pe())));
      DeviceRange neighbor =
          heap.range(next, 0, bytes)
              .orElseThrow(
                  () -> new IllegalStateException("this GPU cannot map the memory of PE " + next));
      stream.copyIn(neighbor, host);
      stream.synchronize(LIMIT);
      runtime.barrier(LIMIT);
      stream.copyOut(host, heap.window().slice(0, bytes));
      stream.synchronize(LIMIT);
      report(name(context), host.toArray(JAVA_INT));
      runtime.barrier(LIMIT);
    }
    runtime.finish(LIMIT);
    runtime.close();
  }

  /** PE n uses GPU n. */
  private CudaContext openGpu() {
    return CudaDriver.system().device(job.pe()).openPrimaryContext();
  }

  private static String name(CudaContext context) {
    return context.device().name() + " " + context.device().ordinal();
  }

  /** Returns the identifier that PE 0 creates for all PEs, in the folder of the job. */
  private UniqueId sharedId(NvshmemRuntime runtime) throws IOException, InterruptedException {
    Path file = job.folder().resolve("nvshmem-id");
    if (job.pe() == 0) {
      Path next = job.folder().resolve("nvshmem-id.next");
      Files.write(next, runtime.newUniqueId(LIMIT).bytes());
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!Files.exists(file)) {
      pause(deadline, "PE 0 did not create nvshmem-id");
    }
    return new UniqueId(Files.readAllBytes(file));
  }

  /** PEs read their neighbors' memory, which they cannot write to; flags are in host memory. */
  private void shareCudaMemory() throws Exception {
    CudaContext context = openGpu();
    HeapFolder folder =
        HeapFolder.open(job.folder(), new FolderToken(job.token()), List.of(job.folder()));
    try (HostHeap flags = HostHeap.create(folder, job.pe(), WINDOW_BYTES);
        CudaHeap heap = CudaHeap.open(context, folder, job.pe(), WINDOW_BYTES, WINDOW_BYTES);
        CudaStream stream = context.newStream();
        Arena arena = Arena.ofConfined()) {
      long bytes = INTEGERS * Integer.BYTES;
      MemorySegment host = Segments.allocateCopy(arena, MemorySegment.ofArray(integers(job.pe())));
      Slab slab =
          heap.slabs()
              .allocate(bytes)
              .orElseThrow(() -> new IllegalStateException("the GPU has no free memory"));
      stream.copyIn(heap.window().slice(slab.offset(), bytes), host);
      stream.synchronize(LIMIT);
      flags.backing().reserve(0, flags.size());
      FLAG.setRelease(flags.local(), READY, slab.offset());
      MemorySegment sender = awaitWindow(flags, before);
      awaitFlag(sender, READY, before);
      DeviceRange sent =
          heap.range(before, (long) FLAG.getAcquire(sender, READY), bytes)
              .orElseThrow(
                  () ->
                      new IllegalStateException("this GPU cannot map the memory of PE " + before));
      stream.copyOut(host, sent);
      stream.synchronize(LIMIT);
      report(name(context), host.toArray(JAVA_INT));
      FLAG.setRelease(flags.local(), RECEIVED, 1L);
      awaitFlag(awaitWindow(flags, next), RECEIVED, next);
    }
  }

  private void report(String device, int[] received) {
    boolean passed = Arrays.equals(received, integers(before));
    PeLine.print("ring", device, next, words(integers(job.pe())), before, words(received), passed);
  }

  private int[] integers(int pe) {
    return new Random(seed + pe).ints(INTEGERS, 0, 1000).toArray();
  }

  private static String words(int[] integers) {
    return String.join(" ", Arrays.stream(integers).mapToObj(Integer::toString).toList());
  }
}
