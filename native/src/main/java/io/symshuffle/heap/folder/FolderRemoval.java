// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import io.symshuffle.ffi.FileStatus;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes private folders of this user with their content. Symbolic links are removed, never
 * followed.
 */
public final class FolderRemoval {
  private static final Logger LOG = LoggerFactory.getLogger(FolderRemoval.class);

  /** Attempts to remove a folder in which other processes keep creating files. */
  private static final int ATTEMPTS = 5;

  private FolderRemoval() {}

  /**
   * Removes the disk folders of an application, under the disk bases that its heap files name, and
   * then its heap folder. Keeps anything that is not a private folder of this user.
   *
   * @return whether the folder is gone
   */
  static boolean removeWithDiskFolders(Path folder) {
    for (Path diskBase : diskBases(folder)) {
      remove(diskBase.resolve(folder.getFileName()));
    }
    return remove(folder);
  }

  /** Removes one private folder of this user; returns whether it is gone. */
  public static boolean remove(Path folder) {
    try {
      Optional<FileStatus> status = FileStatus.ofLink(folder);
      if (status.isEmpty()) {
        return true;
      }
      Optional<String> fault = FolderCheck.privateFault(status.get());
      if (fault.isPresent()) {
        LOG.warn("Not removing the folder {}: {}", folder, fault.get());
        return false;
      }
      for (int attempt = 1; ; attempt++) {
        try {
          Files.walkFileTree(folder, new Remover());
          return true;
        } catch (IOException e) {
          if (attempt == ATTEMPTS) {
            throw e;
          }
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn("Cannot remove the folder {}; remove it by hand", folder, e);
      return false;
    }
  }

  private static Set<Path> diskBases(Path folder) {
    Set<Path> bases = new LinkedHashSet<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, HeapFolder.HEAP_FILES)) {
      for (Path file : files) {
        try {
          HeapFile.readHeader(file)
              .filter(header -> HeapFolder.name(header.token()).equals("" + folder.getFileName()))
              .ifPresent(header -> bases.addAll(header.diskBases()));
        } catch (RuntimeException e) {
          LOG.debug("{} names no disk folder", file, e);
        }
      }
    } catch (IOException e) {
      LOG.debug("{} cannot be listed", folder, e);
    }
    return bases;
  }

  private static final class Remover extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
      Files.deleteIfExists(file);
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
      if (e instanceof NoSuchFileException) {
        return FileVisitResult.CONTINUE;
      }
      throw e;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
      if (e != null) {
        throw e;
      }
      Files.deleteIfExists(directory);
      return FileVisitResult.CONTINUE;
    }
  }
}
