// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

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
 * A symbolic link in an application's folder on local disk that points to its folder of heaps. Who
 * holds that one may read what PEs that are dead have left here, though nobody holds the folder on
 * disk anymore.
 */
final class HeapLink {
  /** Its name. */
  static final String NAME = "heaps";

  private static final Logger LOG = LoggerFactory.getLogger(HeapLink.class);

  private HeapLink() {}

  /** Creates the link unless it exists; without it the folder is in use only while it is held. */
  static void make(Path diskFolder, Path heapFolder) {
    try {
      Files.createSymbolicLink(diskFolder.resolve(NAME), heapFolder.toAbsolutePath());
    } catch (FileAlreadyExistsException e) {
      LOG.trace("{} exists already", e.getFile());
    } catch (NoSuchFileException e) {
      LOG.debug("{} was swept; the next process that holds it creates it again", diskFolder);
    } catch (IOException e) {
      LOG.warn(
          "Runs of dead executors in {} may be swept: the link there cannot be created",
          diskFolder,
          e);
    }
  }

  /**
   * Where the link in a folder points.
   *
   * @param folder a private folder of ours
   * @return the folder of heaps, there or not; empty if the folder has no link, or one to a folder
   *     of another application, which is none of ours
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
