// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import io.symshuffle.ffi.FileStatus;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.NativeFile;
import io.symshuffle.ffi.NativeFile.LockMode;
import io.symshuffle.ffi.UserId;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.host.HostHeap;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The private folder of one application on one host, {@code <base>/symshuffle-<uid>-<token>}, mode
 * 0700, with one heap file {@code pe-<n>.heap} per PE, mode 0600. On local disk, each of a PE's
 * disk bases has a folder of the same name, with one folder {@code pe-<n>} per PE.
 *
 * <p>An existing folder is used only if it is a directory of this user with mode 0700. Symbolic
 * links are rejected.
 *
 * <p>Users of the folder hold it ({@link #hold}; an open {@link HostHeap} does), since a folder
 * that no process holds may be swept. Thread-safe.
 */
public final class HeapFolder {
  /** Folders younger than this are not swept: their first process may be about to hold them. */
  public static final Duration SWEEP_AGE = Duration.ofSeconds(60);

  /** Names of heap files, as a glob. */
  static final String HEAP_FILES = "pe-*.heap";

  private static final Pattern HEAP_FILE = Pattern.compile("pe-(\\d{1,9})\\.heap");

  private static final Pattern NAME = Pattern.compile("symshuffle-([0-9]+)-([0-9a-f]{32})");

  /** The setting that names the folder of heaps, for messages. */
  public static final String HEAP_SETTING = "spark.symshuffle.heap.dir";

  /** The setting that names the folder on disk, for messages. */
  public static final String DISK_SETTING = "spark.symshuffle.disk.dir";

  /** How long to wait for a sweep, which holds the lock of the folder that it removes. */
  private static final Duration HOLD_LIMIT = Duration.ofSeconds(30);

  /** After this time a wait logs what it waits for. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final Logger LOG = LoggerFactory.getLogger(HeapFolder.class);

  private final Path path;
  private final FolderToken token;
  private final List<Path> diskBases;

  private HeapFolder(Path path, FolderToken token, List<Path> diskBases) {
    this.path = path;
    this.token = token;
    this.diskBases = diskBases;
  }

  /**
   * Opens the folder of an application, and creates it if necessary.
   *
   * @param base an existing, writable folder in which only this user and root can replace files
   * @param diskBases existing folders on local disks, at least one, for {@link #diskFolders}, which
   *     checks them
   * @return the folder, not held yet
   * @throws HeapException when the base or the existing folder is invalid; the message says what to
   *     do
   */
  public static HeapFolder open(Path base, FolderToken token, List<Path> diskBases) {
    Path path = FolderCheck.checkBase(base, HEAP_SETTING).resolve(name(token));
    FolderCheck.makePrivate(path);
    return new HeapFolder(
        path,
        token,
        diskBases.stream().map(disk -> disk.toAbsolutePath().normalize()).distinct().toList());
  }

  /** Returns whether the application has a folder under a base. */
  public static boolean exists(Path base, FolderToken token) {
    return Files.exists(base.resolve(name(token)), LinkOption.NOFOLLOW_LINKS);
  }

  /** Returns the folder. */
  public Path path() {
    return path;
  }

  /** Returns the application's token. */
  public FolderToken token() {
    return token;
  }

  /** Returns the folders on local disks that contain this process's disk folders, absolute. */
  public List<Path> diskBases() {
    return diskBases;
  }

  /**
   * Identifies this folder independently of host and path: processes that get the same text use the
   * same folder.
   *
   * @return a hash of the kernel's boot id, the device and the inode of the folder; empty when the
   *     folder is gone or the boot id is unknown
   */
  public String identity() {
    long boot = BootId.hash();
    return boot == 0
        ? ""
        : FileStatus.ofLink(path)
            .map(status -> "%x-%x-%x".formatted(boot, status.device(), status.inode()))
            .orElse("");
  }

  /**
   * Returns the path of a PE's heap file.
   *
   * @param pe number of the PE, 0 or more
   * @return its path, whether or not the file exists
   */
  public Path heapFile(int pe) {
    return path.resolve("pe-" + checkPe(pe) + ".heap");
  }

  /**
   * Lists the PEs that have a heap file here, alive or not.
   *
   * @return their numbers, ascending
   * @throws HeapException when the folder cannot be listed
   */
  public List<Integer> pes() {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(path, HEAP_FILES)) {
      return StreamSupport.stream(files.spliterator(), false)
          .map(file -> HEAP_FILE.matcher(file.getFileName().toString()))
          .filter(Matcher::matches)
          .map(match -> Integer.valueOf(match.group(1)))
          .sorted()
          .toList();
    } catch (IOException | DirectoryIteratorException e) {
      throw new HeapException("cannot list the heap files in %s: %s".formatted(path, e), e);
    }
  }

  /**
   * Returns the folders of a PE on local disks, and creates them if necessary.
   *
   * @param pe number of the PE, 0 or more
   * @return per disk base the folder {@code <base>/symshuffle-<uid>-<token>/pe-<n>}, mode 0700
   * @throws HeapException when a disk base or an existing folder is invalid
   */
  public List<Path> diskFolders(int pe) {
    List<Path> folders = new ArrayList<>();
    for (Path base : diskBases) {
      Path application = FolderCheck.checkBase(base, DISK_SETTING).resolve(path.getFileName());
      Path folder = application.resolve(diskName(pe));
      FolderCheck.makePrivate(application);
      FolderCheck.makePrivate(folder);
      link(application);
      folders.add(folder);
    }
    return folders;
  }

  /**
   * Keeps the folder from being swept until the result is closed or the process ends; creates it
   * again if it has been swept. Any number of processes can hold a folder at the same time.
   *
   * @return the folder with its lock, to be closed when it is no longer needed
   * @throws HeapException when the folder is invalid, or a sweep does not end
   */
  public NativeFile hold() {
    return hold(path);
  }

  /**
   * Keeps the application's folder under a disk base from being swept, and creates it if necessary.
   *
   * @param diskBase one of {@link #diskBases}
   * @return the hold; empty when it is the same folder, or when its file system does not support
   *     locks (then no sweep removes it either)
   * @throws HeapException when the folder is invalid, or a sweep does not end
   */
  public Optional<NativeFile> holdDisk(Path diskBase) {
    Path disk = FolderCheck.checkBase(diskBase, DISK_SETTING).resolve(path.getFileName());
    try {
      if (disk.equals(path)) {
        return Optional.empty();
      }
      NativeFile held = hold(disk);
      link(disk);
      return Optional.of(held);
    } catch (NativeCallException e) {
      LOG.debug("{} cannot be locked", disk, e);
      return Optional.empty();
    }
  }

  private void link(Path application) {
    if (!application.equals(path)) {
      HeapLink.make(application, path);
    }
  }

  private static NativeFile hold(Path path) {
    long start = System.nanoTime();
    boolean said = false;
    while (true) {
      FolderCheck.makePrivate(path);
      Optional<NativeFile> directory = NativeFile.openDirectory(path);
      if (directory.isPresent()) {
        boolean held = false;
        try {
          held =
              directory.get().tryLock(LockMode.SHARED)
                  && FileStatus.ofLink(path)
                      .filter(directory.get().status()::isSameFile)
                      .isPresent();
          if (held) {
            return directory.get();
          }
        } finally {
          if (!held) {
            directory.get().close();
          }
        }
      }
      if (!said && System.nanoTime() - start > PATIENCE.toNanos()) {
        said = true;
        LOG.info(
            "Waiting up to {} s for another process to remove the folder {}",
            HOLD_LIMIT.toSeconds(),
            path);
      }
      if (System.nanoTime() - start > HOLD_LIMIT.toNanos()) {
        throw new HeapException(
            "another process has been removing the folder %s for %d s: end it (fuser shows it)"
                .formatted(path, HOLD_LIMIT.toSeconds()));
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  /**
   * Removes the folder, even if a process holds it, and its disk folders on this host. The driver
   * calls this when the application ends. Failures are logged; further calls do nothing.
   */
  public void remove() {
    FolderRemoval.removeWithDiskFolders(path);
    removeDiskFolders();
  }

  /**
   * Removes the folder and its disk folders if no process holds it. For the last process on a host
   * without the driver; the caller has closed its own holds.
   */
  public boolean removeIfUnused() {
    boolean removed = FolderSweep.removeIfUnused(path);
    if (removed) {
      removeDiskFolders();
    }
    return removed;
  }

  private void removeDiskFolders() {
    diskBases.forEach(base -> FolderRemoval.remove(base.resolve(path.getFileName())));
  }

  /** As below, if they are older than {@link #SWEEP_AGE}. */
  public static List<Path> sweep(Path base) {
    return sweep(base, SWEEP_AGE);
  }

  /**
   * Removes the folders that dead applications of this user left under a base, with their disk
   * folders.
   *
   * @param base the folder to sweep; need not exist
   * @param minimumAge folders that changed more recently are kept
   * @return the folders removed; failures are logged
   */
  public static List<Path> sweep(Path base, Duration minimumAge) {
    return FolderSweep.sweep(base, minimumAge);
  }

  /** Returns the name of this user's folder for an application. */
  static String name(FolderToken token) {
    return "symshuffle-" + Integer.toUnsignedString(UserId.effective()) + "-" + token;
  }

  static boolean isOwnFolderName(Path path) {
    Matcher matcher = NAME.matcher(path.getFileName().toString());
    return matcher.matches()
        && matcher.group(1).equals(Integer.toUnsignedString(UserId.effective()));
  }

  /** Returns the name of a PE's folder in the application's folder on disk. */
  public static String diskName(int pe) {
    return "pe-" + checkPe(pe);
  }

  private static int checkPe(int pe) {
    if (pe < 0) {
      throw new IllegalArgumentException("PE " + pe + " is less than 0");
    }
    return pe;
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
