// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import io.symshuffle.ffi.Errno;
import io.symshuffle.ffi.FileStatus;
import io.symshuffle.ffi.MappedFile;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.NativeFile;
import io.symshuffle.ffi.NativeFile.LockMode;
import io.symshuffle.ffi.UserId;
import io.symshuffle.heap.HeapException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mapped file of one PE: a header and the window. The process that created it holds the file's
 * exclusive lock until it ends, so that others can tell whether it is alive.
 *
 * <p>The file of another PE is checked before it is used: it must be a regular file of this user
 * with mode 0600, as long as its header says, with the application's token and the right PE.
 */
public final class HeapFile implements AutoCloseable {
  /** How long to retry locking a new file, since a probe holds a shared lock for microseconds. */
  private static final Duration LOCK_LIMIT = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(HeapFile.class);

  private final HeapHeader header;
  private final MappedFile mapped;
  private final MemorySegment window;

  private HeapFile(HeapHeader header, MappedFile mapped) {
    this.header = header;
    this.mapped = mapped;
    this.window = mapped.memory().asSlice(HeapHeaderDescriptor.WINDOW_OFFSET, header.windowBytes());
  }

  /**
   * Creates this PE's file, which is sparse and locked and has a header.
   *
   * @throws HeapException when the file exists, or there is no space for the header
   */
  public static HeapFile create(Path path, HeapHeader header) {
    NativeFile file = createEmpty(path);
    try {
      lock(file);
      file.overwriteInPlace();
      file.truncate(HeapHeaderDescriptor.WINDOW_OFFSET + header.windowBytes());
      return withHeader(file, header);
    } catch (RuntimeException e) {
      file.close();
      removeUnfinished(path);
      throw e;
    }
  }

  private static HeapFile withHeader(NativeFile file, HeapHeader header) {
    MappedFile mapped =
        MappedFile.map(file, HeapHeaderDescriptor.WINDOW_OFFSET + header.windowBytes());
    if (!mapped.populate(0, HeapHeaderDescriptor.PAGE_BYTES)) {
      mapped.close();
      throw new HeapException(
          "no space for the header of %s: free space in %s, or set %s to another folder"
              .formatted(file.path(), file.path().getParent(), HeapFolder.HEAP_SETTING));
    }
    HeapHeaderDescriptor.writeRelease(mapped.memory(), header);
    return new HeapFile(header, mapped);
  }

  private static void removeUnfinished(Path path) {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOG.warn("Could not remove the unfinished heap file {}", path, e);
    }
  }

  /**
   * Opens another PE's file, for reading.
   *
   * @return empty when it does not exist or is not complete yet
   * @throws HeapException when it is not a heap file of this PE and application
   */
  public static Optional<HeapFile> open(Path path, int pe, FolderToken token) {
    NativeFile file = openChecked(path).orElse(null);
    if (file == null) {
      return Optional.empty();
    }
    try {
      HeapHeader header = readHeader(file).orElse(null);
      if (header == null) {
        file.close();
        return Optional.empty();
      }
      check(path, header.pe() == pe, "it belongs to PE " + header.pe() + ", not " + pe);
      check(path, header.token().equals(token), "it belongs to another application");
      long bytes = HeapHeaderDescriptor.WINDOW_OFFSET + header.windowBytes();
      return Optional.of(new HeapFile(header, MappedFile.mapReadOnly(file, bytes)));
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  /**
   * Reads only the header of a file.
   *
   * @return empty when it does not exist or is not complete yet
   * @throws HeapException when it is not a heap file
   */
  static Optional<HeapHeader> readHeader(Path path) {
    try (NativeFile file = openChecked(path).orElse(null)) {
      return file == null ? Optional.empty() : readHeader(file);
    }
  }

  private static Optional<HeapHeader> readHeader(NativeFile file) {
    // The magic is written last, so it is read first, in a separate call.
    MemorySegment magic = file.read(HeapHeaderDescriptor.MAGIC_OFFSET, Long.BYTES);
    if (magic.byteSize() == 0
        || (magic.byteSize() == Long.BYTES && magic.get(ValueLayout.JAVA_LONG, 0) == 0)) {
      return Optional.empty();
    }
    MemorySegment page = file.read(0, HeapHeaderDescriptor.PAGE_BYTES);
    Path path = file.path();
    check(
        path,
        page.byteSize() == HeapHeaderDescriptor.PAGE_BYTES,
        "it has " + page.byteSize() + " bytes, too few for a header");
    HeapHeader header;
    try {
      header = HeapHeaderDescriptor.read(page);
    } catch (HeapException e) {
      throw refusal(path, e.getMessage(), e);
    }
    long bytes = file.status().bytes();
    long needed = HeapHeaderDescriptor.WINDOW_OFFSET + header.windowBytes();
    check(path, bytes >= needed, "it has " + bytes + " bytes instead of " + needed);
    return Optional.of(header);
  }

  /** Returns whether the process that created a file is alive. False when there is no such file. */
  public static boolean isLocked(Path path) {
    try (NativeFile file = openChecked(path).orElse(null)) {
      return file != null && !file.tryLock(LockMode.SHARED);
    }
  }

  /**
   * Returns whether the process that created this file is alive. Uses the open file, so it needs no
   * further descriptor and works even if the file was deleted or its mode was changed. Not for the
   * own file, whose lock it would release.
   */
  public boolean isLocked() {
    NativeFile file = mapped.file();
    if (!file.tryLock(LockMode.SHARED)) {
      return true;
    }
    file.unlock();
    return false;
  }

  /** {@return what the file says about its PE and its window} */
  public HeapHeader header() {
    return header;
  }

  /** {@return the whole file, mapped} */
  public MappedFile mapped() {
    return mapped;
  }

  /** {@return the window in the mapped file, without the header} */
  public MemorySegment window() {
    return window;
  }

  @Override
  public void close() {
    mapped.close();
  }

  private static NativeFile createEmpty(Path path) {
    try {
      return NativeFile.create(path);
    } catch (NativeCallException e) {
      if (e.is(Errno.EEXIST)) {
        throw new HeapException(
            path + " already exists: each PE creates its file once, and PE numbers are unique", e);
      }
      throw new HeapException("cannot create the heap file " + path + ": " + e.getMessage(), e);
    }
  }

  private static void lock(NativeFile file) {
    long start = System.nanoTime();
    while (!file.tryLock(LockMode.EXCLUSIVE)) {
      if (System.nanoTime() - start > LOCK_LIMIT.toNanos()) {
        throw new HeapException(
            "another process has held the lock of the new file %s for %s"
                .formatted(file.path(), LOCK_LIMIT));
      }
      LockSupport.parkNanos(100_000);
    }
  }

  private static Optional<NativeFile> openChecked(Path path) {
    Optional<NativeFile> opened;
    try {
      opened = NativeFile.open(path);
    } catch (NativeCallException e) {
      throw refusal(path, e.is(Errno.ELOOP) ? "it is a symbolic link" : e.getMessage(), e);
    }
    if (opened.isEmpty()) {
      return opened;
    }
    try {
      FileStatus status = opened.get().status();
      check(path, status.kind() == FileStatus.Kind.FILE, "it is not a regular file");
      int uid = UserId.effective();
      check(
          path,
          status.ownerUid() == uid,
          "it belongs to user "
              + Integer.toUnsignedString(status.ownerUid())
              + ", not "
              + Integer.toUnsignedString(uid));
      check(
          path,
          status.permissions() == 0600,
          "its mode is " + status.permissionsInOctal() + ", not 0600");
      return opened;
    } catch (RuntimeException e) {
      opened.get().close();
      throw e;
    }
  }

  private static void check(Path path, boolean good, String reason) {
    if (!good) {
      throw refusal(path, reason, null);
    }
  }

  private static HeapException refusal(Path path, String reason, Throwable cause) {
    return new HeapException(path + " is not a valid heap file: " + reason, cause);
  }
}
