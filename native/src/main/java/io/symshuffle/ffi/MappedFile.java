// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file mapped for reading and writing, shared with every process that maps it. Owns the file and
 * the mapping, closes both once, refuses use after close.
 *
 * <p>After {@link #close()} the segment refuses access and the file's memory is no longer held, but
 * the addresses stay taken and read as zeros: a thread that still holds a raw address (Spark's rows
 * are raw addresses) reads zeros instead of bringing the JVM down, and no later mapping can take
 * that place. What is left is address space, of which there are 128 TiB.
 *
 * <p>Hazard: touching a page behind which the file system can put no memory gives SIGBUS, in Java
 * an {@link InternalError}. {@link #populate} a range before writing to it. The same goes for a
 * file that another process truncates.
 *
 * <p>Threads: any; the segment belongs to no thread.
 */
public final class MappedFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MappedFile.class);

  /** A multiple of every page size in use on Linux (4, 16 and 64 KiB). */
  private static final long PAGE = 64 << 10;

  private final NativeFile file;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory;

  /** Closing waits for calls that name addresses of the mapping. */
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  @GuardedBy("lock")
  private boolean closed;

  /** False once the kernel has said that it does not know MADV_POPULATE_WRITE (before 5.14). */
  private volatile boolean canPopulate = true;

  @SuppressWarnings("restricted")
  private MappedFile(NativeFile file, long address, long bytes) {
    this.file = file;
    this.memory = MemorySegment.ofAddress(address).reinterpret(bytes, arena, null);
  }

  /**
   * Maps the beginning of a file and takes the file over; when it fails, the file is closed.
   *
   * @param file an open file of at least {@code bytes}
   * @param bytes how much to map, more than 0
   * @return the mapping, page-aligned
   * @throws NativeCallException when the system has no address space for it, for example ENOMEM
   */
  public static MappedFile map(NativeFile file, long bytes) {
    requireNonNull(file, "file is null");
    try {
      long held = file.status().bytes();
      if (bytes <= 0 || bytes > held) {
        throw new IllegalArgumentException(
            "cannot map " + bytes + " bytes of " + file.path() + ", which has " + held);
      }
      MappedFile mapped = new MappedFile(file, file.map(bytes), bytes);
      mapped.adviseHugePages();
      return mapped;
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /** {@return the mapped bytes; the same segment on each call, for any thread} */
  public MemorySegment memory() {
    return memory;
  }

  /** {@return whether it can be used: false once it is closed} */
  public boolean isOpen() {
    return memory.scope().isAlive();
  }

  /** {@return the file behind it} */
  public NativeFile file() {
    return file;
  }

  /**
   * Puts memory behind a range and, where the kernel can (5.14), into this process's page tables.
   * Content that is there stays.
   *
   * @param offset first byte; rounded down to a page
   * @param bytes length, more than 0
   * @return false when there is no space; part of the range may be backed then
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
      if (canPopulate) {
        switch (populatePages(range)) {
          case DONE -> {
            return true;
          }
          case NO_SPACE -> {
            return false;
          }
          case UNKNOWN_TO_KERNEL -> canPopulate = false;
        }
      }
      return file.allocate(start, range.byteSize());
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Gives the file's memory back and refuses use from now on. Further calls do nothing. */
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
    UNKNOWN_TO_KERNEL
  }

  private Populated populatePages(MemorySegment range) {
    try (SystemCall call = new SystemCall()) {
      while (advise(call, range, LinuxAbi.MADV_POPULATE_WRITE) != 0) {
        switch (Errno.of(call.errno()).orElse(Errno.EIO)) {
          case EFAULT, ENOMEM -> {
            return Populated.NO_SPACE;
          }
          case EINVAL -> {
            return Populated.UNKNOWN_TO_KERNEL;
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

  /** Lays zero pages over the mapping, which drops the file's. */
  private void retire() {
    try (SystemCall call = new SystemCall()) {
      long address = memory.address();
      long placed =
          Libc.mmap(
              call.state(),
              address,
              memory.byteSize(),
              LinuxAbi.PROT_READ | LinuxAbi.PROT_WRITE,
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
      // A wish: most systems keep huge pages of shared memory off, and then this says EINVAL.
      advise(call, memory, LinuxAbi.MADV_HUGEPAGE);
    }
  }

  private int advise(SystemCall call, MemorySegment range, int advice) {
    return Libc.madvise(call.state(), range.address(), range.byteSize(), advice);
  }
}
