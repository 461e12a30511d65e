// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.IntFunction;

/**
 * An open file or directory. Owns a file descriptor, closes it once, and refuses use after close.
 * Child processes do not inherit it. A symbolic link as the last part of a path is never followed.
 *
 * <p>Thread-safe. Closing waits for calls in progress, so that none of them uses a descriptor
 * number that has been reused for another file.
 */
public final class NativeFile implements AutoCloseable {
  private final Path path;
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

  @GuardedBy("lock")
  private int fd;

  private NativeFile(Path path, int fd) {
    this.path = path;
    this.fd = fd;
  }

  /**
   * Modes of an advisory lock (flock). The lock is released when the file is closed or the process
   * ends.
   */
  public enum LockMode {
    /** Several processes may hold it. */
    SHARED(LinuxAbi.LOCK_SH),
    /** One process holds it, and no other process holds a shared lock. */
    EXCLUSIVE(LinuxAbi.LOCK_EX);

    private final int operation;

    LockMode(int operation) {
      this.operation = operation;
    }
  }

  /**
   * Creates a file that must not exist, readable and writable by its owner only (0600).
   *
   * @return the open file, empty
   * @throws NativeCallException EEXIST when the file exists, and every other error of open(2)
   */
  public static NativeFile create(Path path) {
    return open(
        path, LinuxAbi.O_RDWR | LinuxAbi.O_CREAT | LinuxAbi.O_EXCL, "O_RDWR|O_CREAT|O_EXCL");
  }

  /**
   * Opens a file for reading and writing.
   *
   * @return the open file; empty when it does not exist
   * @throws NativeCallException ELOOP when it is a symbolic link, and every other error of open(2)
   */
  public static Optional<NativeFile> open(Path path) {
    // O_NONBLOCK: the file may be a pipe, on which a plain open blocks.
    return existing(path, LinuxAbi.O_RDWR | LinuxAbi.O_NONBLOCK, "O_RDWR|O_NONBLOCK");
  }

  /**
   * Opens a directory, to lock it and read its status.
   *
   * @return the open directory; empty when it does not exist
   * @throws NativeCallException ENOTDIR when it is not a directory, and every other error of
   *     open(2)
   */
  public static Optional<NativeFile> openDirectory(Path path) {
    return existing(path, LinuxAbi.O_RDONLY | LinuxAbi.O_DIRECTORY, "O_RDONLY|O_DIRECTORY");
  }

  /** Returns the path it was opened by. */
  public Path path() {
    return path;
  }

  /** Returns its status at this moment. */
  public FileStatus status() {
    return withDescriptor(FileStatus::ofDescriptor);
  }

  /**
   * Reads a range, with one or more system calls.
   *
   * @param offset first byte of the file
   * @return a copy, 8-byte aligned; shorter when the file ends before the range does
   * @throws NativeCallException when reading fails
   */
  public MemorySegment read(long offset, int bytes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(bytes);
      long done = read(offset, buffer);
      MemorySegment copy = MemorySegment.ofArray(new long[(bytes + 7) / 8]).asSlice(0, done);
      return copy.copyFrom(buffer.asSlice(0, done));
    }
  }

  /**
   * Reads into native memory, with one or more system calls.
   *
   * @param offset first byte of the file
   * @return how many bytes were read; less than the memory has when the file ends before
   * @throws NativeCallException when reading fails
   */
  public long read(long offset, MemorySegment to) {
    return transfer("pread", Libc.C::pread, offset, to);
  }

  /**
   * Writes native memory, with one or more system calls.
   *
   * @param offset first byte of the file
   * @throws NativeCallException when writing fails, for example with ENOSPC; part of the range may
   *     have been written then
   */
  public void write(long offset, MemorySegment from) {
    long done = transfer("pwrite", Libc.C::pwrite, offset, from);
    if (done < from.byteSize()) {
      throw new IllegalStateException(
          "pwrite wrote %d of %d bytes at %d of %s and nothing more"
              .formatted(done, from.byteSize(), offset, path));
    }
  }

  /** pread or pwrite. */
  @FunctionalInterface
  private interface Transfer {
    long call(MemorySegment errno, int fd, MemorySegment memory, long count, long offset);
  }

  /** Repeats a call until it has moved all bytes, or none; returns how many. */
  private long transfer(String name, Transfer transfer, long offset, MemorySegment memory) {
    try (SystemCall call = new SystemCall()) {
      long bytes = memory.byteSize();
      long done = 0;
      while (done < bytes) {
        long at = done;
        long count =
            withDescriptor(
                fd -> transfer.call(call.state(), fd, memory.asSlice(at), bytes - at, offset + at));
        if (count < 0 && !call.failedWith(Errno.EINTR)) {
          throw call.failure(name, path.toString(), bytes - done, offset + done);
        }
        if (count == 0) {
          break;
        }
        done += Math.max(count, 0);
      }
      return done;
    }
  }

  /**
   * Sets the length; added bytes are a hole that reads as zeros.
   *
   * @throws NativeCallException when ftruncate fails, for example with EFBIG
   */
  public void truncate(long bytes) {
    try (SystemCall call = new SystemCall()) {
      if (calling(fd -> Libc.C.ftruncate(call.state(), fd, bytes)) != 0) {
        throw call.failure("ftruncate", path.toString(), bytes);
      }
    }
  }

  /**
   * Asks the file system to overwrite blocks of this file in place. A file system that copies on
   * write, such as btrfs, needs new blocks for a page that is stored to again, and raises SIGBUS if
   * it has none, although {@link #allocate} has succeeded. Other file systems refuse, since they
   * overwrite in place anyway.
   *
   * @return whether the file system accepted it; btrfs does so for an empty file only
   */
  public boolean overwriteInPlace() {
    try (SystemCall call = new SystemCall()) {
      MemorySegment flags = call.arena().allocate(ValueLayout.JAVA_INT);
      if (calling(fd -> Libc.C.ioctl(call.state(), fd, LinuxAbi.FS_IOC_GETFLAGS, flags)) != 0) {
        return false;
      }
      int set = flags.get(ValueLayout.JAVA_INT, 0) | LinuxAbi.FS_NOCOW_FL;
      flags.set(ValueLayout.JAVA_INT, 0, set);
      return calling(fd -> Libc.C.ioctl(call.state(), fd, LinuxAbi.FS_IOC_SETFLAGS, flags)) == 0;
    }
  }

  /**
   * Acquires the file's advisory lock if it is free. The lock belongs to this object: another
   * NativeFile of the same path competes for it, even in this process.
   *
   * @param mode shared or exclusive
   * @return false when the lock is held elsewhere
   * @throws NativeCallException when the file system does not support locks
   */
  public boolean tryLock(LockMode mode) {
    try (SystemCall call = new SystemCall()) {
      while (calling(fd -> Libc.C.flock(call.state(), fd, mode.operation | LinuxAbi.LOCK_NB))
          != 0) {
        if (call.failedWith(Errno.EAGAIN)) {
          return false;
        }
        if (!call.failedWith(Errno.EINTR)) {
          throw call.failure("flock", path.toString(), mode);
        }
      }
      return true;
    }
  }

  /**
   * Releases the advisory lock of this object; does nothing if it has none.
   *
   * @throws NativeCallException when the file system does not support locks
   */
  public void unlock() {
    try (SystemCall call = new SystemCall()) {
      while (calling(fd -> Libc.C.flock(call.state(), fd, LinuxAbi.LOCK_UN)) != 0) {
        if (!call.failedWith(Errno.EINTR)) {
          throw call.failure("flock", path.toString(), "LOCK_UN");
        }
      }
    }
  }

  /**
   * Allocates blocks for a range, so that it can be written without running out of space.
   *
   * @param offset first byte
   * @param bytes length, more than 0
   * @return false when there is no space (ENOSPC, EDQUOT, ENOMEM), or the process may not have
   *     files of that size (EFBIG)
   * @throws NativeCallException when fallocate fails otherwise, for example with EOPNOTSUPP
   */
  public boolean allocate(long offset, long bytes) {
    try (SystemCall call = new SystemCall()) {
      while (calling(fd -> Libc.C.fallocate(call.state(), fd, 0, offset, bytes)) != 0) {
        if (call.failedWith(Errno.ENOSPC)
            || call.failedWith(Errno.EDQUOT)
            || call.failedWith(Errno.EFBIG)
            || call.failedWith(Errno.ENOMEM)) {
          return false;
        }
        if (!call.failedWith(Errno.EINTR)) {
          throw call.failure("fallocate", path.toString(), 0, offset, bytes);
        }
      }
      return true;
    }
  }

  /**
   * Deallocates the blocks of a range; the length stays the same, and the range reads as zeros.
   *
   * @param offset first byte
   * @param bytes length, more than 0
   * @throws NativeCallException when fallocate fails, for example with EOPNOTSUPP
   */
  public void punchHole(long offset, long bytes) {
    int mode = LinuxAbi.FALLOC_FL_KEEP_SIZE | LinuxAbi.FALLOC_FL_PUNCH_HOLE;
    try (SystemCall call = new SystemCall()) {
      while (calling(fd -> Libc.C.fallocate(call.state(), fd, mode, offset, bytes)) != 0) {
        if (!call.failedWith(Errno.EINTR)) {
          throw call.failure("fallocate", path.toString(), "KEEP_SIZE|PUNCH_HOLE", offset, bytes);
        }
      }
    }
  }

  /** Closes the file and releases its lock. Further calls do nothing. */
  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      if (fd < 0) {
        return;
      }
      int closing = fd;
      fd = -1;
      try (SystemCall call = new SystemCall()) {
        if (Libc.C.close(call.state(), closing) != 0) {
          // On Linux the descriptor is released even when close fails.
          throw call.failure("close", path.toString());
        }
      }
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Maps a range of the file, shared between processes.
   *
   * @param address where to map it, over anything that is mapped there; 0 for any free addresses
   * @param offset first byte, a multiple of the page size
   * @return its address
   * @throws NativeCallException when mmap fails, for example with ENOMEM
   */
  long map(long address, long offset, long bytes, boolean writable) {
    int protection = LinuxAbi.PROT_READ | (writable ? LinuxAbi.PROT_WRITE : 0);
    int flags = LinuxAbi.MAP_SHARED | (address == 0 ? 0 : LinuxAbi.MAP_FIXED);
    try (SystemCall call = new SystemCall()) {
      long mapped =
          withDescriptor(
              fd -> Libc.C.mmap(call.state(), address, bytes, protection, flags, fd, offset));
      if (mapped == LinuxAbi.MAP_FAILED) {
        throw call.failure(
            "mmap",
            address,
            bytes,
            writable ? "PROT_READ|PROT_WRITE" : "PROT_READ",
            address == 0 ? "MAP_SHARED" : "MAP_SHARED|MAP_FIXED",
            path.toString(),
            offset);
      }
      return mapped;
    }
  }

  private int calling(IntFunction<Integer> call) {
    return withDescriptor(call);
  }

  private <T> T withDescriptor(IntFunction<T> call) {
    Lock use = lock.readLock();
    use.lock();
    try {
      if (fd < 0) {
        throw new IllegalStateException(path + " is closed");
      }
      return call.apply(fd);
    } finally {
      use.unlock();
    }
  }

  private static Optional<NativeFile> existing(Path path, int flags, String flagsInWords) {
    try {
      return Optional.of(open(path, flags, flagsInWords));
    } catch (NativeCallException e) {
      if (e.is(Errno.ENOENT)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private static NativeFile open(Path path, int flags, String flagsInWords) {
    LinuxAbi.absence()
        .ifPresent(
            reason -> {
              throw new UnsupportedOperationException(reason);
            });
    try (SystemCall call = new SystemCall()) {
      int fd =
          Libc.C.open(
              call.state(),
              Segments.allocateString(call.arena(), path.toString()),
              flags | LinuxAbi.O_NOFOLLOW | LinuxAbi.O_CLOEXEC,
              0600);
      if (fd < 0) {
        throw call.failure("open", path.toString(), flagsInWords + "|O_NOFOLLOW|O_CLOEXEC", "0600");
      }
      return new NativeFile(path, fd);
    }
  }
}
