// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file, or several that are used as one, mapped for reading, or for reading and writing, shared
 * with every process that maps it. Owns the file and the mapping, closes both once, and refuses use
 * after close. A store through a raw address into a mapping for reading ends the process (SIGSEGV).
 *
 * <p>After {@link #close()} the segment refuses access and the file's memory is released, but the
 * addresses stay reserved and read as zeros: a thread that still holds a raw address (Spark's rows
 * are raw addresses) reads zeros instead of crashing the JVM, and no later mapping can reuse the
 * addresses. Only address space is lost, of which there are 128 TiB.
 *
 * <p>Hazard: touching a page that the file system has no space for raises SIGBUS, in Java an {@link
 * InternalError}. {@link #populate} a range before writing to it. Touching a page that another
 * process has truncated does the same.
 *
 * <p>Thread-safe; any thread may access the segment.
 */
public final class MappedFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MappedFile.class);

  private static final long PAGE = StripedFile.PAGE;

  /** The smallest page size. */
  private static final long SMALL_PAGE = 4 << 10;

  @SuppressWarnings("unused") // written only
  private static volatile int loaded;

  private final StripedFile file;
  private final boolean writable;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;

  /** Makes closing wait for calls that use addresses of the mapping. */
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  @GuardedBy("lock")
  private boolean closed;

  /** False once the kernel has rejected MADV_POPULATE_WRITE, as kernels before 5.14 do. */
  private volatile boolean canPopulate = true;

  @SuppressWarnings("restricted")
  private MappedFile(StripedFile file, boolean writable, long address, long bytes) {
    this.file = file;
    this.writable = writable;
    MemorySegment mapped = MemorySegment.ofAddress(address).reinterpret(bytes, arena, null);
    this.memory = writable ? mapped : mapped.asReadOnly();
  }

  /**
   * Maps the beginning of a file for reading and writing, and takes ownership of the file, which is
   * closed on failure.
   *
   * @param file an open file of at least {@code bytes}
   * @param bytes how much to map, more than 0
   * @return the mapping, page-aligned
   * @throws NativeCallException when mmap fails, for example with ENOMEM
   */
  public static MappedFile map(StripedFile file, long bytes) {
    return map(file, bytes, true);
  }

  /** As {@link #map}, but for reading only: the segment is read-only. */
  public static MappedFile mapReadOnly(StripedFile file, long bytes) {
    return map(file, bytes, false);
  }

  private static MappedFile map(StripedFile file, long bytes, boolean writable) {
    try {
      long held = file.bytes();
      if (bytes <= 0 || bytes > held) {
        throw new IllegalArgumentException(
            "cannot map " + bytes + " bytes of " + file.path() + ", which has " + held);
      }
      MappedFile mapped = new MappedFile(file, writable, file.map(0, bytes, writable), bytes);
      mapped.adviseHugePages();
      return mapped;
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** Returns the mapped bytes; the same segment on each call, usable by any thread. */
  public MemorySegment memory() {
    return memory;
  }

  /** Returns whether it is open. */
  public boolean isOpen() {
    return memory.scope().isAlive();
  }

  /** Returns the mapped file. */
  public StripedFile file() {
    return file;
  }

  /**
   * Allocates memory for a range and, on Linux 5.14 and later, maps it in this process's page
   * tables. Existing content is kept.
   *
   * @param offset first byte; rounded down to a page
   * @param bytes length, more than 0
   * @return false when there is no space; part of the range may then have memory
   * @throws IllegalStateException when the file is closed, or mapped for reading only
   * @throws NativeCallException when it fails for another reason
   */
  public boolean populate(long offset, long bytes) {
    long start = offset & -PAGE;
    MemorySegment range = memory.asSlice(start, offset + bytes - start);
    lock.readLock().lock();
    try {
      if (closed) {
        throw new IllegalStateException(file.path() + " is closed");
      }
      if (!writable) {
        throw new IllegalStateException(file.path() + " is mapped for reading only");
      }
      if (canPopulate) {
        switch (populatePages(range)) {
          case DONE -> {
            return true;
          }
          case NO_SPACE -> {
            return false;
          }
          case UNSUPPORTED -> canPopulate = false;
        }
      }
      return file.allocate(start, range.byteSize());
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Measures the first access of this process to a page that has memory and is in the kernel's page
   * tables. Where the processor uses these tables, this is only a TLB miss; where a hypervisor
   * copies them page by page into its own, it takes microseconds.
   *
   * @param offset first byte, a multiple of 64 KiB; the range has memory
   * @param bytes length, a multiple of 64 KiB
   * @return nanoseconds per page of 4 KiB in the fastest part of 64 KiB, so that it does not matter
   *     when this thread waits for a core
   * @throws NativeCallException when mmap fails, for example with ENOMEM
   */
  public long firstAccessNanos(long offset, long bytes) {
    load(memory.asSlice(offset, bytes));
    try (Arena during = Arena.ofConfined();
        SystemCall call = new SystemCall()) {
      // For writing, since hypervisors map neighbors of a page ahead only if it is not writable.
      MemorySegment again = mapForWriting(offset, bytes, during);
      // Best effort: kernels before 5.14 do not know it, and map 16 pages at a time on access.
      advise(call, again, LinuxAbi.MADV_POPULATE_READ);
      long least = Long.MAX_VALUE;
      for (long at = 0; at < bytes; at += PAGE) {
        MemorySegment part = again.asSlice(at, PAGE);
        long start = System.nanoTime();
        load(part);
        least = Math.min(least, System.nanoTime() - start);
      }
      return least / (PAGE / SMALL_PAGE);
    }
  }

  /** Loads a byte of each page. */
  private static void load(MemorySegment range) {
    int sum = 0;
    for (long at = 0; at < range.byteSize(); at += SMALL_PAGE) {
      sum += range.get(ValueLayout.JAVA_BYTE, at);
    }
    // Use the result, so that the compiler does not remove the loads.
    loaded = sum;
  }

  /**
   * Maps a range of the file once more, for reading and writing, while an action runs. Other
   * threads see what it stores in the order in which it stores it.
   *
   * @param offset first byte, a multiple of 64 KiB
   * @param bytes length, more than 0
   * @param action gets the range; it must not use it after it returns
   * @throws NativeCallException when mmap fails, for example with ENOMEM
   */
  public void change(long offset, long bytes, Consumer<MemorySegment> action) {
    try (Arena during = Arena.ofConfined()) {
      action.accept(mapForWriting(offset, bytes, during));
    }
  }

  /**
   * Maps a range of the file once more, for reading and writing, until an arena is closed.
   *
   * @param offset first byte
   * @param bytes length, more than 0
   * @throws NativeCallException when mmap fails, for example with ENOMEM
   */
  @SuppressWarnings("restricted")
  public MemorySegment mapForWriting(long offset, long bytes, Arena until) {
    memory.asSlice(offset, bytes);
    long before = offset % PAGE;
    long address = file.map(offset - before, before + bytes, true);
    return MemorySegment.ofAddress(address)
        .reinterpret(before + bytes, until, mapped -> file.unmap(address, before + bytes))
        .asSlice(before);
  }

  /**
   * Removes all pages of the mapping from this process's page tables, so that they do not count in
   * its resident set anymore. The content is kept, since the mapping is shared: the next access
   * maps a page again. Other threads may access the memory meanwhile. Does nothing after close.
   *
   * @throws NativeCallException when madvise fails, for example because the pages are locked
   */
  public void dropPages() {
    lock.readLock().lock();
    try (SystemCall call = new SystemCall()) {
      // After close the pages are private, and their content would be lost.
      if (!closed && advise(call, memory, LinuxAbi.MADV_DONTNEED) != 0) {
        throw call.failure("madvise", memory.address(), memory.byteSize(), "MADV_DONTNEED");
      }
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Unmaps and closes the file. Further calls do nothing. */
  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      if (closed) {
        return;
      }
      arena.close();
      closed = true;
      retire();
      file.close();
    } finally {
      lock.writeLock().unlock();
    }
  }

  private enum Populated {
    DONE,
    NO_SPACE,
    UNSUPPORTED
  }

  private Populated populatePages(MemorySegment range) {
    try (SystemCall call = new SystemCall()) {
      while (advise(call, range, LinuxAbi.MADV_POPULATE_WRITE) != 0) {
        switch (Errno.of(call.errno()).orElse(Errno.EIO)) {
          case EFAULT, ENOMEM -> {
            return Populated.NO_SPACE;
          }
          case EINVAL -> {
            return Populated.UNSUPPORTED;
          }
          case EINTR, EAGAIN -> {}
          default ->
              throw call.failure(
                  "madvise", range.address(), range.byteSize(), "MADV_POPULATE_WRITE");
        }
      }
      return Populated.DONE;
    }
  }

  /** Replaces the file's pages with zero pages. */
  private void retire() {
    try (SystemCall call = new SystemCall()) {
      long address = memory.address();
      long placed =
          Libc.C.mmap(
              call.state(),
              address,
              memory.byteSize(),
              LinuxAbi.PROT_READ | (writable ? LinuxAbi.PROT_WRITE : 0),
              LinuxAbi.MAP_FIXED
                  | LinuxAbi.MAP_PRIVATE
                  | LinuxAbi.MAP_ANONYMOUS
                  | LinuxAbi.MAP_NORESERVE,
              -1,
              0);
      if (placed == LinuxAbi.MAP_FAILED) {
        LOG.warn(
            "The memory of {} is held until this process ends",
            file.path(),
            call.failure("mmap", address, memory.byteSize(), "MAP_FIXED|MAP_ANONYMOUS"));
      }
    }
  }

  private void adviseHugePages() {
    try (SystemCall call = new SystemCall()) {
      // Best effort: most systems disable huge pages of shared memory and return EINVAL.
      advise(call, memory, LinuxAbi.MADV_HUGEPAGE);
    }
  }

  private int advise(SystemCall call, MemorySegment range, int advice) {
    return Libc.C.madvise(call.state(), range.address(), range.byteSize(), advice);
  }
}
