// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import io.symshuffle.ffi.FileStatus;
import io.symshuffle.ffi.FileStatus.Kind;
import io.symshuffle.ffi.UserId;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** Requirements for a folder before we write to it. */
final class FolderCheck {
  private static final int STICKY = 01000;

  /**
   * A folder inherits it from its parent, as under a Kubernetes volume with fsGroup; it opens
   * nothing.
   */
  private static final int SET_GID = 02000;

  private static final int ROOT = 0;

  /** How often another process may remove the folder between two of our calls. */
  private static final int ATTEMPTS = 100;

  private FolderCheck() {}

  /**
   * A folder under which ours may be made: nobody but us and root can take away or replace what we
   * put there.
   *
   * @return its path without symbolic links
   */
  static Path checkBase(Path base, String setting) {
    Path real;
    try {
      real = base.toRealPath();
    } catch (IOException e) {
      throw new HeapException(
          "the folder %s does not exist or cannot be reached: create it, or set %s to another one"
              .formatted(base, setting),
          e);
    }
    FileStatus status = FileStatus.ofLink(real).orElse(null);
    if (status == null || status.kind() != Kind.DIRECTORY) {
      throw new HeapException("%s is not a folder: set %s to one".formatted(base, setting));
    }
    if (isReadOnly(real)) {
      throw new HeapException(
          "the folder %s is on a file system that is mounted read-only: mount it for writing, or set %s to another one"
              .formatted(base, setting));
    }
    if (!Files.isWritable(real)) {
      throw new HeapException(
          "we, user %s, may not write to the folder %s (mode %s, of user %s): chmod or chown it, or set %s to another one"
              .formatted(us(), base, status.permissionsInOctal(), owner(status), setting));
    }
    boolean safeOwner = status.ownerUid() == UserId.effective() || status.ownerUid() == ROOT;
    if (!safeOwner && (status.permissions() & STICKY) == 0) {
      throw new HeapException(
          "the folder %s (mode %s) belongs to user %s, and other users could replace our files in it: chmod +t it, or set %s to a folder that belongs to user %s or to root"
              .formatted(base, status.permissionsInOctal(), owner(status), setting, us()));
    }
    return real;
  }

  private static boolean isReadOnly(Path folder) {
    try {
      return Files.getFileStore(folder).isReadOnly();
    } catch (IOException e) {
      // Then the attempt to write will say more.
      return false;
    }
  }

  /** Creates a folder of mode 0700, or checks the existing one. Its parent must exist. */
  static FileStatus makePrivate(Path path) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        Files.createDirectory(
            path,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      } catch (FileAlreadyExistsException e) {
        // Checked below, like one that we have made.
      } catch (IOException e) {
        throw new HeapException("cannot make the folder " + path + ": " + e, e);
      }
      Optional<FileStatus> status = FileStatus.ofLink(path);
      if (status.isPresent()) {
        Optional<String> fault = privateFault(status.get());
        if (fault.isPresent()) {
          throw new HeapException(
              "the folder %s is not used: %s. Remove it: we make it with mode 0700 when it is missing"
                  .formatted(path, fault.get()));
        }
        return status.get();
      }
    }
    throw new HeapException(
        "the folder " + path + " was removed each time that we made it, " + ATTEMPTS + " times");
  }

  /** Why something is not a private folder of ours; empty when it is one. */
  static Optional<String> privateFault(FileStatus status) {
    if (status.kind() != Kind.DIRECTORY) {
      return Optional.of(
          status.kind() == Kind.LINK ? "it is a symbolic link" : "it is not a folder");
    }
    if (status.ownerUid() != UserId.effective()) {
      return Optional.of("it belongs to user " + owner(status) + ", and we are " + us());
    }
    if ((status.permissions() & ~SET_GID) != 0700) {
      return Optional.of("its mode is " + status.permissionsInOctal() + ", not 0700");
    }
    return Optional.empty();
  }

  private static String owner(FileStatus status) {
    return Integer.toUnsignedString(status.ownerUid());
  }

  private static String us() {
    return Integer.toUnsignedString(UserId.effective());
  }
}
