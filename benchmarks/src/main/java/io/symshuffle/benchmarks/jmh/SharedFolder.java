// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A new folder for a heap. */
final class SharedFolder {
  private static final Path SHARED = Path.of("/dev/shm");

  private SharedFolder() {}

  /** Creates it in shared memory, or where temporary files are if that cannot be written to. */
  static Path create() throws IOException {
    return Files.isWritable(SHARED)
        ? Files.createTempDirectory(SHARED, "symshuffle-jmh-")
        : Files.createTempDirectory("symshuffle-jmh-");
  }
}
