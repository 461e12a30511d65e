// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.barrier;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NcclTest {
  @TempDir private Path folder;

  @Test
  void absenceSaysWhatWasTriedAndWhatToDo() {
    String absence = absence();
    assertTrue(absence.contains(folder.resolve("libnccl.so.2").toString()), absence);
    assertTrue(absence.contains("set NCCL_HOME to its folder"), absence);
  }

  @Test
  void findsTheLibraryInTheFolderLibOfItsHome() throws IOException {
    Path file = Files.createDirectories(folder.resolve("lib")).resolve("libnccl.so.2");
    Files.writeString(file, "no library");
    String absence = absence();
    assertTrue(absence.contains(file + ": "), absence);
  }

  private String absence() {
    return Nccl.open(Map.of("NCCL_HOME", folder.toString())).absence().orElseThrow();
  }
}
