// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.folder;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A symbolic link from an application's folder on local disk to its heap folder. Processes that
 * hold the heap folder may read runs that dead PEs left on disk, even though no process holds the
 * disk folder.
 */
final class HeapLink {
  static final String NAME = "heaps";

  private static final Logger LOG = LoggerFactory.getLogger(HeapLink.class);

  private HeapLink() {}

  /** Creates the link unless it exists; without it, the folder is in use only while it is held. */
  static void make(Path diskFolder, Path heapFolder) {
    try {
      Files.createSymbolicLink(diskFolder.resolve(NAME), heapFolder.toAbsolutePath());
    } catch (FileAlreadyExistsException e) {
      LOG.trace("{} exists already", e.getFile());
    } catch (NoSuchFileException e) {
      LOG.debug("{} was swept; the next process that holds it creates it again", diskFolder);
    } catch (IOException e) {
      LOG.warn(
          "Runs of dead executors in {} may be swept: cannot create the link to their heaps",
          diskFolder,
          e);
    }
  }

  /**
   * Returns the target of the link in a folder.
   *
   * @param folder a private folder of this user
   * @return the heap folder, which may not exist; empty if the folder has no link, or one to
   *     another application's folder
   */
  static Optional<Path> of(Path folder) {
    try {
      return Optional.of(Files.readSymbolicLink(folder.resolve(NAME)))
          .filter(target -> target.endsWith(folder.getFileName()));
    } catch (NoSuchFileException | NotLinkException e) {
      return Optional.empty();
    } catch (IOException e) {
      LOG.debug("{} cannot be read", folder.resolve(NAME), e);
      return Optional.empty();
    }
  }
}
