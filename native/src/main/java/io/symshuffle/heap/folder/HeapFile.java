// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import io.symshuffle.ffi.Errno;
import io.symshuffle.ffi.FileStatus;
import io.symshuffle.ffi.MappedFile;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.NativeFile;
import io.symshuffle.ffi.NativeFile.LockMode;
import io.symshuffle.ffi.StripedFile;
import io.symshuffle.ffi.UserId;
import io.symshuffle.heap.HeapException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mapped file of one PE: a header and the window. It may be divided into several files; the
 * others have the name of the first one and a number, for example {@code pe-3.heap.1}. The process
 * that created them holds the exclusive lock of the first one until it ends, so that others can
 * tell whether it is alive.
 *
 * <p>The files of another PE are checked before they are used: they must be regular files of this
 * user with mode 0600, as long as the header says, with the application's token and the right PE.
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
   * Creates this PE's files, which are sparse. The first one is locked and has a header, which is
   * complete when all files exist.
   *
   * @throws HeapException when the file exists, or there is no space for the header
   */
  public static HeapFile create(Path path, HeapHeader header) {
    List<NativeFile> files = new ArrayList<>();
    try {
      for (int number = 0; number < header.files(); number++) {
        NativeFile file = createEmpty(file(path, number));
        files.add(file);
        if (number == 0) {
          lock(file);
        }
        file.overwriteInPlace();
        file.truncate(header.fileBytes(number));
      }
      return withHeader(new StripedFile(files, header.stripeBytes()), header);
    } catch (RuntimeException e) {
      files.forEach(NativeFile::close);
      remove(files);
      throw e;
    }
  }

  /** Returns the path of a file of a heap, numbered from 0. */
  private static Path file(Path first, int number) {
    return number == 0 ? first : first.resolveSibling(first.getFileName() + "." + number);
  }

  private static HeapFile withHeader(StripedFile file, HeapHeader header) {
    MappedFile mapped = MappedFile.map(file, header.allBytes());
    if (!mapped.populate(0, HeapHeaderDescriptor.PAGE_BYTES)) {
      mapped.close();
      throw new HeapException(
          "no space for the header of %s: free space in %s, or set %s to another folder"
              .formatted(file.path(), file.path().getParent(), HeapFolder.HEAP_SETTING));
    }
    HeapHeaderDescriptor.writeRelease(mapped.memory(), header);
    return new HeapFile(header, mapped);
  }

  /**
   * Removes the files from their folder, the first one last, since the heap exists as long as it
   * does. Processes that have mapped them are not affected. Failures are logged.
   */
  public void remove() {
    remove(mapped.file().files());
  }

  private static void remove(List<NativeFile> files) {
    for (int number = files.size() - 1; number >= 0; number--) {
      Path path = files.get(number).path();
      try {
        Files.deleteIfExists(path);
      } catch (IOException e) {
        LOG.warn("Cannot remove the heap file {}", path, e);
      }
    }
  }

  /**
   * Opens another PE's files, for reading.
   *
   * @return empty when one does not exist or the header is not complete yet
   * @throws HeapException when it is not a heap of this PE and application
   */
  public static Optional<HeapFile> open(Path path, int pe, FolderToken token) {
    return open(
        path,
        header -> {
          check(path, header.pe() == pe, "it belongs to PE " + header.pe() + ", not " + pe);
          check(path, header.token().equals(token), "it belongs to another application");
        });
  }

  /** As above, of any PE and application. */
  public static Optional<HeapFile> open(Path path) {
    return open(path, header -> {});
  }

  private static Optional<HeapFile> open(Path path, Consumer<HeapHeader> check) {
    List<NativeFile> files = new ArrayList<>();
    boolean opened = false;
    try {
      openChecked(path).ifPresent(files::add);
      HeapHeader header = files.isEmpty() ? null : readHeader(files.getFirst()).orElse(null);
      if (header == null) {
        return Optional.empty();
      }
      check.accept(header);
      for (int number = 1; number < header.files(); number++) {
        Optional<NativeFile> file = openChecked(file(path, number));
        if (file.isEmpty()) {
          return Optional.empty();
        }
        files.add(file.get());
        checkLength(file.get(), header.fileBytes(number));
      }
      StripedFile file = new StripedFile(files, header.stripeBytes());
      HeapFile heap = new HeapFile(header, MappedFile.mapReadOnly(file, header.allBytes()));
      opened = true;
      return Optional.of(heap);
    } finally {
      if (!opened) {
        files.forEach(NativeFile::close);
      }
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
    checkLength(file, header.fileBytes(0));
    return Optional.of(header);
  }

  private static void checkLength(NativeFile file, long needed) {
    long bytes = file.status().bytes();
    check(file.path(), bytes >= needed, "it has " + bytes + " bytes instead of " + needed);
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
    NativeFile file = mapped.file().first();
    if (!file.tryLock(LockMode.SHARED)) {
      return true;
    }
    file.unlock();
    return false;
  }

  /** Returns what the file says about its PE and its window. */
  public HeapHeader header() {
    return header;
  }

  /** Returns all files, mapped one after another. */
  public MappedFile mapped() {
    return mapped;
  }

  /** Returns the window in the mapped file, without the header. */
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
            "another process has held the lock of the new file %s for %d s: end it (fuser shows it)"
                .formatted(file.path(), LOCK_LIMIT.toSeconds()));
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
