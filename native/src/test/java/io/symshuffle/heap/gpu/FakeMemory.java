// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import io.symshuffle.ffi.OpenFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process holds of the fake GPU's memory, according to the kernel. */
final class FakeMemory {
  private static final String NAME = "memfd:symshuffle-fake-gpu";

  private FakeMemory() {}

  /** Returns the number of chunks that are mapped. */
  static long mappings() throws IOException {
    try (var lines = Files.lines(Path.of("/proc/self/maps"))) {
      return lines.filter(line -> line.contains(NAME)).count();
    }
  }

  /** Returns the number of open descriptors. */
  static long descriptors() throws IOException {
    return OpenFiles.all().values().stream().filter(file -> file.toString().contains(NAME)).count();
  }
}
