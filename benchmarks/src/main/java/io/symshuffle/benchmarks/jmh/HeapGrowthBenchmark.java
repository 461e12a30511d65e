// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.jmh;

import io.symshuffle.benchmarks.launch.Folders;
import io.symshuffle.cli.pe.PeJob;
import io.symshuffle.heap.ChunkGrid;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.heap.host.WindowCopies;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Writes a GiB to a host heap in slabs of a MiB, on several threads that only copy. New memory is
 * provided by Linux page by page; retained memory is that of slabs that were freed.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class HeapGrowthBenchmark {
  private static final long HEAP_BYTES = 1L << 30;
  private static final long SLAB_BYTES = 1L << 20;

  /** Threads that write at the same time. */
  @Param({"1", "2", "8", "32"})
  public int threads;

  /** Whether the heap has its memory: new or retained. */
  @Param({"new", "retained"})
  public String memory;

  /** Files of the heap. */
  @Param({"1", "8"})
  public int files;

  /** Whether slabs are written through the mapped window, or copied to its file. */
  @Param({"mapped", "copied"})
  public String access;

  private final MemorySegment run = Arena.ofAuto().allocate(SLAB_BYTES, 4096);
  private ExecutorService executor;
  private Path base;
  private HeapFolder folder;
  private HostHeap heap;
  private SlabAllocator slabs;
  private Optional<WindowCopies> copies;

  /** Starts the threads. */
  @Setup
  public void start() {
    executor = Executors.newFixedThreadPool(threads);
    run.fill((byte) 1);
  }

  /** Creates a heap. */
  @Setup(Level.Invocation)
  public void create() throws IOException, InterruptedException, ExecutionException {
    base = Files.createTempDirectory(PeJob.sharedMemory(), "symshuffle-jmh-");
    folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    heap = HostHeap.create(folder, 0, HEAP_BYTES, files);
    copies = access.equals("copied") ? Optional.of(heap.copying()) : Optional.empty();
    slabs =
        new SlabAllocator(
            0, HEAP_BYTES, heap.backing(), HEAP_BYTES, ChunkGrid.CHUNK_BYTES, heap.files());
    if (memory.equals("retained")) {
      fill().forEach(slabs::free);
    }
  }

  /** Removes the heap from shared memory. */
  @TearDown(Level.Invocation)
  public void remove() throws IOException {
    heap.close();
    folder.remove();
    Folders.delete(base);
  }

  /** Ends the threads. */
  @TearDown
  public void end() {
    executor.shutdownNow();
  }

  /** Fills the heap. */
  @Benchmark
  public List<Slab> fill() throws InterruptedException, ExecutionException {
    List<Future<List<Slab>>> writers = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      writers.add(executor.submit(this::write));
    }
    List<Slab> written = new ArrayList<>();
    for (Future<List<Slab>> writer : writers) {
      written.addAll(writer.get());
    }
    if (written.size() * SLAB_BYTES < HEAP_BYTES) {
      throw new IllegalStateException(
          "%s has space for %d MiB; %d are needed: free some, or enlarge its file system (docker run --shm-size=2g)"
              .formatted(base, written.size(), HEAP_BYTES >> 20));
    }
    return written;
  }

  private List<Slab> write() {
    List<Slab> written = new ArrayList<>();
    Optional<Slab> slab = slabs.allocate(SLAB_BYTES);
    while (slab.isPresent()) {
      if (copies.isPresent()) {
        copies.get().write(slab.get().offset(), run);
      } else {
        heap.local().asSlice(slab.get().offset(), SLAB_BYTES).copyFrom(run);
      }
      written.add(slab.get());
      slab = slabs.allocate(SLAB_BYTES);
    }
    return written;
  }
}
