// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * The status of a file at one moment.
 *
 * @param kind file, directory, symbolic link or something else
 * @param ownerUid user id of its owner
 * @param permissions the low 12 bits of its mode: set-id and sticky bits and rwx of user, group,
 *     others
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

  /** The JDK's attributes of files on Unix. */
  private static final String ATTRIBUTES = "unix:mode,uid,size,dev,ino,lastModifiedTime";

  private static final Path OPEN_FILES = Path.of("/proc/self/fd");

  /**
   * Returns the status of the file with this name, without following a symbolic link.
   *
   * @return its status; empty when there is no such file
   * @throws UncheckedIOException when it cannot be read
   */
  public static Optional<FileStatus> ofLink(Path path) {
    try {
      return Optional.of(read(path, LinkOption.NOFOLLOW_LINKS));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the status of " + path + ": " + e, e);
    }
  }

  static FileStatus ofDescriptor(int fd) {
    try {
      return read(OPEN_FILES.resolve(Integer.toString(fd)));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the status of file descriptor " + fd, e);
    }
  }

  private static FileStatus read(Path path, LinkOption... options) throws IOException {
    Map<String, Object> attributes = Files.readAttributes(path, ATTRIBUTES, options);
    int mode = (int) attributes.get("mode");
    return new FileStatus(
        switch (mode & LinuxAbi.S_IFMT) {
          case LinuxAbi.S_IFREG -> Kind.FILE;
          case LinuxAbi.S_IFDIR -> Kind.DIRECTORY;
          case LinuxAbi.S_IFLNK -> Kind.LINK;
          default -> Kind.OTHER;
        },
        (int) attributes.get("uid"),
        mode & 0xfff,
        (long) attributes.get("size"),
        (long) attributes.get("dev"),
        (long) attributes.get("ino"),
        ((FileTime) attributes.get("lastModifiedTime")).toInstant());
  }

  /**
   * Returns whether two statuses are of the same file, regardless of their names.
   *
   * @return true when device and inode are the same
   */
  public boolean isSameFile(FileStatus other) {
    return device == other.device && inode == other.inode;
  }

  /** Returns the permissions in octal, for example 0700. */
  public String permissionsInOctal() {
    return String.format("%04o", permissions);
  }
}
