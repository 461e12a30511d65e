// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One or more files that are used as one: the bytes of the second follow those of the first, and so
 * on. Linux adds pages to a file under one lock, so that many threads fill several files faster.
 * Owns the files.
 *
 * <p>Thread-safe, as {@link NativeFile} is.
 */
public final class StripedFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StripedFile.class);

  /** A multiple of every page size in use on Linux (4, 16 and 64 KiB). */
  static final long PAGE = 64 << 10;

  /** A huge page. */
  private static final long MAPPING_ALIGNMENT = 2 << 20;

  private final List<NativeFile> files;
  private final long stripeBytes;

  /**
   * Takes ownership of open files.
   *
   * @param files at least one
   * @param stripeBytes length of each file but the last, which may be shorter; a multiple of 64 KiB
   *     if there are several
   */
  public StripedFile(List<NativeFile> files, long stripeBytes) {
    if (files.isEmpty() || stripeBytes <= 0 || (files.size() > 1 && stripeBytes % PAGE != 0)) {
      throw new IllegalArgumentException(
          "%d files of %d bytes cannot be used as one".formatted(files.size(), stripeBytes));
    }
    this.files = List.copyOf(files);
    this.stripeBytes = stripeBytes;
  }

  /** Returns the first file. */
  public NativeFile first() {
    return files.getFirst();
  }

  /** Returns all files, the first one first. */
  public List<NativeFile> files() {
    return files;
  }

  /** Returns the path of the first file. */
  public Path path() {
    return first().path();
  }

  /**
   * Returns the length of all files together.
   *
   * @throws IllegalStateException if one of them but the last is shorter than a stripe
   */
  long bytes() {
    for (NativeFile file : files.subList(0, files.size() - 1)) {
      long held = file.status().bytes();
      if (held < stripeBytes) {
        throw new IllegalStateException(
            "%s has %d bytes instead of %d".formatted(file.path(), held, stripeBytes));
      }
    }
    return (files.size() - 1) * stripeBytes + files.getLast().status().bytes();
  }

  /** As {@link NativeFile#read(long, MemorySegment)}. */
  public long read(long offset, MemorySegment to) {
    long[] read = {0};
    each(
        offset,
        to.byteSize(),
        (file, at, done, bytes) -> {
          long count = file.read(at, to.asSlice(done, bytes));
          read[0] += count;
          return count == bytes;
        });
    return read[0];
  }

  /** As {@link NativeFile#write}. */
  public void write(long offset, MemorySegment from) {
    each(
        offset,
        from.byteSize(),
        (file, at, done, bytes) -> {
          file.write(at, from.asSlice(done, bytes));
          return true;
        });
  }

  /** As {@link NativeFile#allocate}. */
  public boolean allocate(long offset, long bytes) {
    return each(offset, bytes, (file, at, done, length) -> file.allocate(at, length));
  }

  /** As {@link NativeFile#punchHole}. */
  public void punchHole(long offset, long bytes) {
    each(
        offset,
        bytes,
        (file, at, done, length) -> {
          file.punchHole(at, length);
          return true;
        });
  }

  /** As {@link NativeFile#map}: the range has consecutive addresses, whichever files it is in. */
  long map(long offset, long bytes, boolean writable) {
    if (offset % stripeBytes <= stripeBytes - bytes) {
      return files.get(file(offset)).map(0, offset % stripeBytes, bytes, writable);
    }
    long address = reserve(bytes);
    try {
      each(
          offset,
          bytes,
          (file, at, done, length) -> {
            file.map(address + done, at, length, writable);
            return true;
          });
      return address;
    } catch (RuntimeException e) {
      unmap(address, roundUp(bytes));
      throw e;
    }
  }

  /** Reserves addresses, aligned so that each chunk of the heap can be a huge page. */
  private long reserve(long bytes) {
    try (SystemCall call = new SystemCall()) {
      long length = roundUp(bytes) + MAPPING_ALIGNMENT;
      long start =
          Libc.C.mmap(
              call.state(),
              0,
              length,
              LinuxAbi.PROT_NONE,
              LinuxAbi.MAP_PRIVATE | LinuxAbi.MAP_ANONYMOUS | LinuxAbi.MAP_NORESERVE,
              -1,
              0);
      if (start == LinuxAbi.MAP_FAILED) {
        throw call.failure("mmap", 0, length, "PROT_NONE", "MAP_ANONYMOUS");
      }
      long address = (start + MAPPING_ALIGNMENT - 1) / MAPPING_ALIGNMENT * MAPPING_ALIGNMENT;
      unmap(start, address - start);
      unmap(address + roundUp(bytes), start + MAPPING_ALIGNMENT - address);
      return address;
    }
  }

  /** Unmaps whole pages; a failure is logged. */
  void unmap(long address, long bytes) {
    try (SystemCall call = new SystemCall()) {
      if (bytes > 0 && Libc.C.munmap(call.state(), address, bytes) != 0) {
        LOG.warn(
            "{} bytes of {} stay mapped until this process ends",
            bytes,
            path(),
            call.failure("munmap", address, bytes));
      }
    }
  }

  private static long roundUp(long bytes) {
    return (bytes + PAGE - 1) / PAGE * PAGE;
  }

  /** Closes all files. Further calls do nothing. */
  @Override
  public void close() {
    RuntimeException failure = null;
    for (NativeFile file : files) {
      try {
        file.close();
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** What to do with the part of a range that is in one file. */
  @FunctionalInterface
  private interface Action {
    /**
     * @param at first byte of the part in its file
     * @param done how many bytes of the range are in the files before
     * @return whether to go on with the next file
     */
    boolean run(NativeFile file, long at, long done, long bytes);
  }

  /** Returns whether all parts were done. */
  private boolean each(long offset, long bytes, Action action) {
    long done = 0;
    while (done < bytes) {
      long at = (offset + done) % stripeBytes;
      long length = Math.min(bytes - done, stripeBytes - at);
      if (!action.run(files.get(file(offset + done)), at, done, length)) {
        return false;
      }
      done += length;
    }
    return true;
  }

  private int file(long offset) {
    return Math.toIntExact(Math.min(offset / stripeBytes, Integer.MAX_VALUE));
  }
}
