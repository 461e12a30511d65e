// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.NativeMemory;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.SymmetricBuffer;
import io.symshuffle.nvshmem.Team;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * The heap of GPUs: one arena of NVSHMEM memory a PE, allocated once by all PEs together and
 * sub-allocated by its owner. All windows have the same size.
 *
 * <p>A window is memory of a GPU. Kernels and copies reach it by {@link #deviceWindow()} and {@link
 * #devicePeer}; the CPU's loads and stores do not, so {@link #local()} can be asked for its address
 * and length but refuses access, and {@link #peer} is empty. {@link #get} and {@link #put} copy
 * between a window and host memory through the driver, which answers failures with codes where
 * NVSHMEM would end the process; only PEs that are not mapped here go through NVSHMEM.
 *
 * <p>When a PE dies, its window and all others stay readable for those that mapped them, until they
 * end too. {@link #close()} is no collective and frees nothing: the arena lives as long as NVSHMEM.
 */
public final class NvshmemHeap implements SymmetricHeap {
  private static final Duration COPY_LIMIT = Duration.ofSeconds(30);

  private final NvshmemRuntime runtime;
  private final SymmetricBuffer arena;
  private final long windowBytes;

  /** Each PE's arena as it is mapped here. */
  private final List<Optional<DeviceRange>> arenas;

  private final MemorySegment local;
  private final StreamPool streams;
  private final DeviceBarrier barrier;

  /** Closing waits for copies that are under way. */
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  private volatile boolean closed;

  private NvshmemHeap(
      NvshmemRuntime runtime,
      SymmetricBuffer arena,
      long windowBytes,
      List<Optional<DeviceRange>> arenas) {
    this.runtime = runtime;
    this.arena = arena;
    this.windowBytes = windowBytes;
    this.arenas = arenas;
    this.local = untouchable(window(arena.local()));
    this.streams = new StreamPool(runtime.context());
    this.barrier =
        new DeviceBarrier(
            runtime.myPe(),
            runtime.peCount(),
            new DeviceBarrier.Counters() {
              @Override
              public void read(int pe, long offset, MemorySegment to) {
                copyFrom(pe, offset, to);
              }

              @Override
              public void write(long offset, MemorySegment from) {
                copyTo(runtime.myPe(), offset, from);
              }
            });
  }

  /**
   * Makes the heaps of all PEs; called by all PEs together.
   *
   * @param runtime NVSHMEM, started
   * @param bytes length of the window, rounded up to 64 KiB; the same on all PEs
   * @param limit how long it may take
   * @return the open heap; its window has whatever was in that memory
   * @throws io.symshuffle.nvshmem.NvshmemException when there is no memory, or a PE did not come
   */
  public static NvshmemHeap create(NvshmemRuntime runtime, long bytes, Duration limit) {
    return create(runtime, bytes, limit, true);
  }

  /** The same; without mapping it takes every other PE for one that only NVSHMEM reaches. */
  static NvshmemHeap create(NvshmemRuntime runtime, long bytes, Duration limit, boolean map) {
    requireNonNull(runtime, "runtime is null");
    if (bytes <= 0 || bytes > Long.MAX_VALUE / 2) {
      throw new IllegalArgumentException("cannot make a window of " + bytes + " bytes");
    }
    long windowBytes = DeviceArenaDescriptor.windowBytes(bytes);
    SymmetricBuffer arena = runtime.allocate(DeviceArenaDescriptor.arenaBytes(windowBytes), limit);
    List<Optional<DeviceRange>> arenas = new ArrayList<>();
    for (int pe = 0; pe < runtime.peCount(); pe++) {
      arenas.add(map || pe == runtime.myPe() ? arena.peer(pe) : Optional.empty());
    }
    NvshmemHeap heap = new NvshmemHeap(runtime, arena, windowBytes, List.copyOf(arenas));
    DeviceRange counters =
        arena
            .local()
            .slice(DeviceArenaDescriptor.COUNTERS_OFFSET, DeviceArenaDescriptor.COUNTERS_BYTES);
    heap.streams.run(stream -> stream.fill(counters, (byte) 0));
    runtime.barrier(limit);
    return heap;
  }

  /**
   * Bytes of GPU memory that a heap takes.
   *
   * @param windowBytes length of the window
   * @return bytes of its arena
   */
  public static long arenaBytes(long windowBytes) {
    return DeviceArenaDescriptor.arenaBytes(DeviceArenaDescriptor.windowBytes(windowBytes));
  }

  @Override
  public int myPe() {
    return runtime.myPe();
  }

  /** {@return number of PEs} */
  public int peCount() {
    return arenas.size();
  }

  @Override
  public long size() {
    return windowBytes;
  }

  /**
   * Says that a PE is lost: NVSHMEM is not called any more in this process. All windows stay
   * readable, those that are out of reach of loads and stores excepted.
   *
   * @param reason why, a sentence without its full stop
   */
  public void giveUp(String reason) {
    runtime.giveUp(reason);
  }

  /** {@return the own window, as kernels and copies address it; 64 KiB aligned} */
  public DeviceRange deviceWindow() {
    requireOpen();
    return window(arena.local());
  }

  /**
   * A PE's window, as kernels and copies of this GPU address it.
   *
   * @param pe number of the PE; the own one is allowed
   * @return where it is mapped here; empty when it is out of reach, so that only get and put are
   *     left
   */
  public Optional<DeviceRange> devicePeer(int pe) {
    requireOpen();
    return arenas.get(checkPe(pe)).map(NvshmemHeap::window);
  }

  /**
   * Where one store reaches the windows of all PEs of a team.
   *
   * @param team the team
   * @return the range; empty without NVLink multicast, or where it is off
   */
  public Optional<DeviceRange> multicastWindow(Team team) {
    requireOpen();
    return arena.multicast(team).map(NvshmemHeap::window);
  }

  /**
   * The own window's address and length. Java refuses to touch it, as if its arena was closed: it
   * is memory of the GPU.
   */
  @Override
  public MemorySegment local() {
    requireOpen();
    return local;
  }

  /** {@return nothing: the CPU reaches no window by loads and stores} */
  @Override
  public Optional<MemorySegment> peer(int pe) {
    requireOpen();
    if (pe < 0) {
      throw negative(pe);
    }
    return Optional.empty();
  }

  @Override
  public void get(int pe, long offset, MemorySegment destination) {
    requireNonNull(destination, "destination is null");
    if (destination.isReadOnly()) {
      throw new IllegalArgumentException("the destination is read-only");
    }
    lock.readLock().lock();
    try {
      requireOpen();
      checkRange(checkPe(pe), offset, destination.byteSize());
      copyFrom(pe, DeviceArenaDescriptor.WINDOW_OFFSET + offset, destination);
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public void put(int pe, long offset, MemorySegment source) {
    requireNonNull(source, "source is null");
    lock.readLock().lock();
    try {
      requireOpen();
      checkRange(checkPe(pe), offset, source.byteSize());
      copyTo(pe, DeviceArenaDescriptor.WINDOW_OFFSET + offset, source);
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public void quiet() {
    requireOpen();
    VarHandle.fullFence();
    if (arenas.stream().anyMatch(Optional::isEmpty) && runtime.lost().isEmpty()) {
      runtime.run("quiet", COPY_LIMIT, calls -> calls.quiet());
    }
  }

  @Override
  public void barrier(int peCount, Duration limit) throws TimeoutException {
    requireNonNull(limit, "limit is null");
    requireOpen();
    quiet();
    barrier.await(peCount, limit);
  }

  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      if (!closed) {
        closed = true;
        streams.close();
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Reads from a PE's arena into host memory of any kind. */
  private void copyFrom(int pe, long offset, MemorySegment destination) {
    if (destination.byteSize() == 0) {
      return;
    }
    if (!destination.isNative()) {
      try (Arena scratch = Arena.ofConfined()) {
        MemorySegment copy = scratch.allocate(destination.byteSize());
        copyFrom(pe, offset, copy);
        destination.copyFrom(copy);
      }
      return;
    }
    Optional<DeviceRange> mapped = arenas.get(pe);
    if (mapped.isPresent()) {
      DeviceRange source = mapped.get().slice(offset, destination.byteSize());
      streams.run(stream -> stream.copyOut(destination, source));
    } else {
      staged(
          offset,
          destination.byteSize(),
          (place, staging, done) -> {
            runtime.run("get", COPY_LIMIT, calls -> calls.get(staging, place, pe));
            streams.run(
                stream -> stream.copyOut(destination.asSlice(done, staging.bytes()), staging));
          });
    }
  }

  /** Writes host memory of any kind into a PE's arena. */
  private void copyTo(int pe, long offset, MemorySegment source) {
    if (source.byteSize() == 0) {
      return;
    }
    if (!source.isNative()) {
      try (Arena scratch = Arena.ofConfined()) {
        MemorySegment copy = scratch.allocate(source.byteSize());
        copy.copyFrom(source);
        copyTo(pe, offset, copy);
      }
      return;
    }
    Optional<DeviceRange> mapped = arenas.get(pe);
    if (mapped.isPresent()) {
      DeviceRange destination = mapped.get().slice(offset, source.byteSize());
      streams.run(stream -> stream.copyIn(destination, source));
    } else {
      staged(
          offset,
          source.byteSize(),
          (place, staging, done) -> {
            streams.run(stream -> stream.copyIn(staging, source.asSlice(done, staging.bytes())));
            runtime.run("put", COPY_LIMIT, calls -> calls.put(place, staging, pe));
          });
    }
  }

  /** One step of a copy through the staging memory. */
  @FunctionalInterface
  private interface Step {
    /** Moves bytes [done, done + staging) of the whole; place is symmetric. */
    void move(DeviceRange place, DeviceRange staging, long done);
  }

  private synchronized void staged(long offset, long bytes, Step step) {
    DeviceRange staging =
        arena
            .local()
            .slice(DeviceArenaDescriptor.STAGING_OFFSET, DeviceArenaDescriptor.STAGING_BYTES);
    for (long done = 0; done < bytes; ) {
      long length = Math.min(staging.bytes(), bytes - done);
      step.move(arena.local().slice(offset + done, length), staging.slice(0, length), done);
      done += length;
    }
  }

  private static DeviceRange window(DeviceRange arena) {
    return arena.slice(
        DeviceArenaDescriptor.WINDOW_OFFSET, arena.bytes() - DeviceArenaDescriptor.WINDOW_OFFSET);
  }

  /** A segment with an address and a length whose life is over: every access is refused. */
  private static MemorySegment untouchable(DeviceRange range) {
    try (Arena over = Arena.ofShared()) {
      return NativeMemory.at(range.address(), range.bytes(), over);
    }
  }

  private int checkPe(int pe) {
    if (pe < 0) {
      throw negative(pe);
    }
    if (pe >= arenas.size()) {
      throw new HeapException(
          "PE %d has no window: NVSHMEM started with %d PEs".formatted(pe, arenas.size()));
    }
    return pe;
  }

  private static IllegalArgumentException negative(int pe) {
    return new IllegalArgumentException("PEs are numbered from 0: " + pe);
  }

  private void checkRange(int pe, long offset, long bytes) {
    if (offset < 0 || bytes > windowBytes - offset) {
      throw new IndexOutOfBoundsException(
          "%d bytes at offset %d leave the window of PE %d, which has %d bytes"
              .formatted(bytes, offset, pe, windowBytes));
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the device heap of PE " + runtime.myPe() + " is closed");
    }
  }
}
