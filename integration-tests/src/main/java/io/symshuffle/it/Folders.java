// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Folders of the harness: made, copied and deleted with everything in them. */
final class Folders {
  private Folders() {}

  static Path create(Path folder) {
    try {
      return Files.createDirectories(folder).toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException("making folder " + folder, e);
    }
  }

  /** Deletes what is there; files that vanish meanwhile are no error. */
  static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try {
      for (Path path : under(folder).sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("deleting " + folder, e);
    }
  }

  /** Copies plain files, keeping their places below the folder. */
  static void copy(Path from, Path to) {
    for (Path file : under(from).filter(Files::isRegularFile).toList()) {
      Path copy = to.resolve(from.relativize(file));
      try {
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
      } catch (NoSuchFileException _) {
        // Spark removed or renamed it between listing and copying.
      } catch (IOException e) {
        throw new UncheckedIOException("copying %s to %s".formatted(file, copy), e);
      }
    }
  }

  /** The folder and all below it; links are not followed; empty if there is none. */
  static Stream<Path> under(Path folder) {
    for (int attempt = 0; ; attempt++) {
      try (Stream<Path> walk = Files.walk(folder)) {
        return List.copyOf(walk.toList()).stream();
      } catch (NoSuchFileException e) {
        return Stream.empty();
      } catch (IOException | UncheckedIOException e) {
        // A folder vanished during the walk: look again.
        if (attempt == 10) {
          throw new IllegalStateException("listing " + folder, e);
        }
      }
    }
  }
}
