// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogHintTest {
  @Test
  void saysThatTheDiskIsFullIfTheLogDoesNotSayMore(@TempDir Path folder) throws IOException {
    // Linux says of this file system that it has no space.
    assertEquals("\n  The disk of this log is full.", LogHint.of(Path.of("/proc/version")));
    Path log = Files.writeString(folder.resolve("log"), "INFO start\nERROR no such class\n");
    assertEquals("\n  ERROR no such class", LogHint.of(log));
    assertEquals("", LogHint.of(Files.writeString(folder.resolve("quiet"), "INFO start\n")));
    assertEquals("", LogHint.of(folder.resolve("missing")));
  }
}
