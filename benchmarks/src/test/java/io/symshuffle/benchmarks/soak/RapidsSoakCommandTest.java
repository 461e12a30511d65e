// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.soak;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.launch.Mistakes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RapidsSoakCommandTest {
  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "NaN", "200000000"})
  void refusesMinutesOutOfBounds(String minutes) {
    String message = Mistakes.messageOf(new RapidsSoakCommand(), "--minutes", minutes);
    assertTrue(message.endsWith("it must be above 0 and at most 10000."), message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"applications", "events"})
  void keepsOtherFilesInOut(String name, @TempDir Path out) throws IOException {
    Path folder = Files.createDirectory(out.resolve(name));
    for (String own : List.of("applications/cpu", "applications/rapids+malloc-perturb")) {
      Files.createDirectories(out.resolve(own));
    }
    Files.createDirectories(out.resolve("applications/cluster0"));
    Files.createDirectories(out.resolve("events/eventlog_v2_app-20260102030405-0000"));
    Files.createFile(out.resolve("events/local-1767323045000.zstd"));
    assertDoesNotThrow(() -> SoakRun.checkFolder(out));
    Path mine = Files.createFile(folder.resolve("mine"));
    String message = Mistakes.messageOf(new RapidsSoakCommand(), "--out", out.toString());
    assertTrue(message.contains(folder + " contains other files, such as mine"), message);
    assertTrue(Files.exists(mine), "deleted");
  }
}
