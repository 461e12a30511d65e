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

/** Creates, copies and deletes folders with their contents. */
public final class Folders {
  private Folders() {}

  /** Creates a folder with its parents; returns its real path. */
  public static Path create(Path folder) {
    try {
      return Files.createDirectories(folder).toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException("creating folder " + folder, e);
    }
  }

  /** Deletes a folder if it exists; ignores files that disappear meanwhile. */
  public static void delete(Path folder) {
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

  /** Copies regular files with their relative paths. */
  static void copy(Path from, Path to) {
    for (Path file : under(from).filter(Files::isRegularFile).toList()) {
      Path copy = to.resolve(from.relativize(file));
      try {
        Files.createDirectories(copy.getParent());
        Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
      } catch (NoSuchFileException ignored) {
        // Spark removed or renamed it between listing and copying.
      } catch (IOException e) {
        throw new UncheckedIOException("copying %s to %s".formatted(file, copy), e);
      }
    }
  }

  /**
   * Returns the folder and everything below it, without following links; empty if it is missing.
   */
  public static Stream<Path> under(Path folder) {
    for (int attempt = 0; ; attempt++) {
      try (Stream<Path> walk = Files.walk(folder)) {
        return List.copyOf(walk.toList()).stream();
      } catch (NoSuchFileException e) {
        return Stream.empty();
      } catch (IOException | UncheckedIOException e) {
        // A folder was deleted during the walk: try again.
        if (attempt == 10) {
          throw new IllegalStateException("listing " + folder, e);
        }
      }
    }
  }
}
