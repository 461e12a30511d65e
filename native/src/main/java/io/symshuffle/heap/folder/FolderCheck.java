// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import io.symshuffle.ffi.FileStatus;
import io.symshuffle.ffi.FileStatus.Kind;
import io.symshuffle.ffi.UserId;
import io.symshuffle.heap.HeapException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** Checks folders before they are used. */
public final class FolderCheck {
  private static final int STICKY = 01000;

  /**
   * Inherited from the parent, for example in a Kubernetes volume with fsGroup; grants no access.
   */
  private static final int SET_GID = 02000;

  private static final int ROOT = 0;

  /** Attempts to create a folder that other processes keep removing. */
  private static final int ATTEMPTS = 100;

  private FolderCheck() {}

  /**
   * Checks that private folders can be created in a folder: only this user and root can remove or
   * replace them.
   *
   * @return its path without symbolic links
   */
  public static Path checkBase(Path base, String setting) {
    Path real;
    try {
      real = base.toRealPath();
    } catch (IOException e) {
      throw new HeapException(
          "the folder %s does not exist or cannot be accessed: create it, or set %s to another one"
              .formatted(base, setting),
          e);
    }
    FileStatus status = FileStatus.ofLink(real).orElse(null);
    if (status == null || status.kind() != Kind.DIRECTORY) {
      throw new HeapException("%s is not a folder: set %s to one".formatted(base, setting));
    }
    try {
      // The kernel's answer: the JDK's list of mounts names the lowest of several at one place.
      real.getFileSystem().provider().checkAccess(real, AccessMode.WRITE);
    } catch (AccessDeniedException e) {
      throw new HeapException(
          "user %s cannot write to the folder %s (mode %s, owned by user %s): chmod or chown it, or set %s to another one"
              .formatted(thisUser(), base, status.permissionsInOctal(), owner(status), setting),
          e);
    } catch (IOException e) {
      Object reason =
          e instanceof FileSystemException f && f.getReason() != null ? f.getReason() : e;
      throw new HeapException(
          "the folder %s cannot be written to (%s): mount it for writing, or set %s to another one"
              .formatted(base, reason, setting),
          e);
    }
    boolean safeOwner = status.ownerUid() == UserId.effective() || status.ownerUid() == ROOT;
    if (!safeOwner && (status.permissions() & STICKY) == 0) {
      throw new HeapException(
          "the folder %s (mode %s) belongs to user %s, and other users could replace files in it: chmod +t it, or set %s to a folder that belongs to user %s or to root"
              .formatted(base, status.permissionsInOctal(), owner(status), setting, thisUser()));
    }
    return real;
  }

  /** Creates a folder of mode 0700, or checks the existing one. Its parent must exist. */
  static FileStatus makePrivate(Path path) {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        Files.createDirectory(
            path,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      } catch (FileAlreadyExistsException e) {
        // Checked below, like one created here.
      } catch (IOException e) {
        throw new HeapException("cannot create the folder " + path + ": " + e, e);
      }
      Optional<FileStatus> status = FileStatus.ofLink(path);
      if (status.isPresent()) {
        Optional<String> fault = privateFault(status.get());
        if (fault.isPresent()) {
          throw new HeapException(
              "the folder %s cannot be used: %s. Remove it; it will be created again with mode 0700"
                  .formatted(path, fault.get()));
        }
        return status.get();
      }
    }
    throw new HeapException(
        "the folder " + path + " was removed each time it was created, " + ATTEMPTS + " times");
  }

  /** Returns why something is not a private folder of this user; empty when it is one. */
  static Optional<String> privateFault(FileStatus status) {
    if (status.kind() != Kind.DIRECTORY) {
      return Optional.of(
          status.kind() == Kind.LINK ? "it is a symbolic link" : "it is not a folder");
    }
    if (status.ownerUid() != UserId.effective()) {
      return Optional.of("it belongs to user " + owner(status) + ", not " + thisUser());
    }
    if ((status.permissions() & ~SET_GID) != 0700) {
      return Optional.of("its mode is " + status.permissionsInOctal() + ", not 0700");
    }
    return Optional.empty();
  }

  private static String owner(FileStatus status) {
    return Integer.toUnsignedString(status.ownerUid());
  }

  private static String thisUser() {
    return Integer.toUnsignedString(UserId.effective());
  }
}
