// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/** The open descriptors of this process. */
public final class OpenFiles {
  private OpenFiles() {}

  /** Returns what each descriptor refers to, by its number. */
  public static Map<Integer, Path> all() throws IOException {
    Map<Integer, Path> files = new HashMap<>();
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      for (Path each : open.toList()) {
        try {
          files.put(Integer.valueOf(each.getFileName().toString()), Files.readSymbolicLink(each));
        } catch (NoSuchFileException e) {
          // Another thread has just closed it.
        }
      }
    }
    return files;
  }

  /** Returns the number of a descriptor of a file. */
  public static int numberOf(Path file) throws IOException {
    return all().entrySet().stream()
        .filter(each -> each.getValue().equals(file))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow(() -> new AssertionError(file + " is not open"));
  }
}
