// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.MemoryLayout.paddingLayout;
import static java.lang.foreign.MemoryLayout.structLayout;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.util.Objects.requireNonNull;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/**
 * The status of a file at one moment.
 *
 * @param kind file, directory, symbolic link or something else
 * @param ownerUid user id of its owner
 * @param permissions the low 12 bits of its mode: set-id and sticky bits and rwx of user, group,
 *     others
 * @param bytes its length
 * @param device the file system it is on
 * @param inode its inode number there; two names are the same file if device and inode are equal
 * @param modified when its content (of a directory, its entries) last changed
 */
public record FileStatus(
    Kind kind,
    int ownerUid,
    int permissions,
    long bytes,
    long device,
    long inode,
    Instant modified) {

  /** The kind of a file. */
  public enum Kind {
    /** A regular file. */
    FILE,
    /** A directory. */
    DIRECTORY,
    /** A symbolic link. */
    LINK,
    /** A device, pipe or socket. */
    OTHER
  }

  /** linux/stat.h, struct statx: 256 bytes, the same on every processor. */
  static final StructLayout STATX =
      structLayout(
          JAVA_INT.withName("stx_mask"),
          JAVA_INT.withName("stx_blksize"),
          JAVA_LONG.withName("stx_attributes"),
          JAVA_INT.withName("stx_nlink"),
          JAVA_INT.withName("stx_uid"),
          JAVA_INT.withName("stx_gid"),
          JAVA_SHORT.withName("stx_mode"),
          paddingLayout(2),
          JAVA_LONG.withName("stx_ino"),
          JAVA_LONG.withName("stx_size"),
          JAVA_LONG.withName("stx_blocks"),
          JAVA_LONG.withName("stx_attributes_mask"),
          paddingLayout(3 * 16), // stx_atime, stx_btime, stx_ctime
          JAVA_LONG.withName("stx_mtime.tv_sec"),
          JAVA_INT.withName("stx_mtime.tv_nsec"),
          paddingLayout(4),
          JAVA_INT.withName("stx_rdev_major"),
          JAVA_INT.withName("stx_rdev_minor"),
          JAVA_INT.withName("stx_dev_major"),
          JAVA_INT.withName("stx_dev_minor"),
          paddingLayout(256 - 144));

  private static final long UID = offset("stx_uid");
  private static final long MODE = offset("stx_mode");
  private static final long INODE = offset("stx_ino");
  private static final long SIZE = offset("stx_size");
  private static final long MTIME_SECONDS = offset("stx_mtime.tv_sec");
  private static final long MTIME_NANOS = offset("stx_mtime.tv_nsec");
  private static final long DEVICE_MAJOR = offset("stx_dev_major");
  private static final long DEVICE_MINOR = offset("stx_dev_minor");

  /**
   * Returns the status of the file with this name, without following a symbolic link.
   *
   * @return its status; empty when there is no such file
   * @throws NativeCallException when statx fails otherwise, for example with EACCES
   */
  public static Optional<FileStatus> ofLink(Path path) {
    requireNonNull(path, "path is null");
    try (SystemCall call = new SystemCall()) {
      MemorySegment to = call.arena().allocate(STATX);
      int result =
          Libc.C.statx(
              call.state(),
              LinuxAbi.AT_FDCWD,
              Segments.allocateString(call.arena(), path.toString()),
              LinuxAbi.AT_SYMLINK_NOFOLLOW,
              LinuxAbi.STATX_BASIC_STATS,
              to);
      if (result == 0) {
        return Optional.of(decode(to));
      }
      if (call.failedWith(Errno.ENOENT) || call.failedWith(Errno.ENOTDIR)) {
        return Optional.empty();
      }
      throw call.failure("statx", LinuxAbi.AT_FDCWD, path.toString());
    }
  }

  /** The status of an open file. */
  static FileStatus ofDescriptor(int fd) {
    try (SystemCall call = new SystemCall()) {
      MemorySegment to = call.arena().allocate(STATX);
      int result =
          Libc.C.statx(
              call.state(),
              fd,
              Segments.allocateString(call.arena(), ""),
              LinuxAbi.AT_EMPTY_PATH,
              LinuxAbi.STATX_BASIC_STATS,
              to);
      if (result != 0) {
        throw call.failure("statx", fd, "");
      }
      return decode(to);
    }
  }

  /**
   * Returns whether two statuses are of the same file, regardless of their names.
   *
   * @return true when device and inode are the same
   */
  public boolean isSameFile(FileStatus other) {
    return device == other.device && inode == other.inode;
  }

  /** {@return the permissions in octal, for example 0700} */
  public String permissionsInOctal() {
    return String.format("%04o", permissions);
  }

  private static FileStatus decode(MemorySegment statx) {
    int mode = statx.get(JAVA_SHORT, MODE) & 0xffff;
    Kind kind =
        switch (mode & LinuxAbi.S_IFMT) {
          case LinuxAbi.S_IFREG -> Kind.FILE;
          case LinuxAbi.S_IFDIR -> Kind.DIRECTORY;
          case LinuxAbi.S_IFLNK -> Kind.LINK;
          default -> Kind.OTHER;
        };
    long device =
        (long) statx.get(JAVA_INT, DEVICE_MAJOR) << 32
            | Integer.toUnsignedLong(statx.get(JAVA_INT, DEVICE_MINOR));
    return new FileStatus(
        kind,
        statx.get(JAVA_INT, UID),
        mode & 0xfff,
        statx.get(JAVA_LONG, SIZE),
        device,
        statx.get(JAVA_LONG, INODE),
        Instant.ofEpochSecond(
            statx.get(JAVA_LONG, MTIME_SECONDS), statx.get(JAVA_INT, MTIME_NANOS)));
  }

  private static long offset(String name) {
    return STATX.byteOffset(groupElement(name));
  }
}
