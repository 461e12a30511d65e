// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file mapped for reading, or for reading and writing, shared with every process that maps it.
 * Owns the file and the mapping, closes both once, and refuses use after close. A store through a
 * raw address into a mapping for reading ends the process (SIGSEGV).
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

  /** A multiple of every page size in use on Linux (4, 16 and 64 KiB). */
  private static final long PAGE = 64 << 10;

  private final NativeFile file;
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
  private MappedFile(NativeFile file, boolean writable, long address, long bytes) {
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
  public static MappedFile map(NativeFile file, long bytes) {
    return map(file, bytes, true);
  }

  /** As {@link #map}, but for reading only: the segment is read-only. */
  public static MappedFile mapReadOnly(NativeFile file, long bytes) {
    return map(file, bytes, false);
  }

  private static MappedFile map(NativeFile file, long bytes, boolean writable) {
    try {
      long held = file.status().bytes();
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

  /** {@return the mapped bytes; the same segment on each call, usable by any thread} */
  public MemorySegment memory() {
    return memory;
  }

  /** {@return whether it is open} */
  public boolean isOpen() {
    return memory.scope().isAlive();
  }

  /** {@return the mapped file} */
  public NativeFile file() {
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
   * Maps a range of the file once more, for reading and writing, while an action runs. Other
   * threads see what it stores in the order in which it stores it.
   *
   * @param offset first byte, a multiple of 64 KiB
   * @param bytes length, more than 0
   * @param action gets the range; it must not use it after it returns
   * @throws NativeCallException when mmap fails, for example with ENOMEM
   */
  @SuppressWarnings("restricted")
  public void change(long offset, long bytes, Consumer<MemorySegment> action) {
    memory.asSlice(offset, bytes);
    long address = file.map(offset, bytes, true);
    try (Arena during = Arena.ofConfined()) {
      action.accept(MemorySegment.ofAddress(address).reinterpret(bytes, during, null));
    } finally {
      unmap(address, bytes);
    }
  }

  private void unmap(long address, long bytes) {
    try (SystemCall call = new SystemCall()) {
      if (Libc.C.munmap(call.state(), address, bytes) != 0) {
        LOG.warn(
            "{} bytes of {} stay mapped until this process ends",
            bytes,
            file.path(),
            call.failure("munmap", address, bytes));
      }
    }
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
