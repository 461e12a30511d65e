// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SoakEvidenceTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "applications/cpu/driver.log, true",
    "applications/cluster0/worker-1/app-1/0/stderr, true",
    "applications/cpu/jars/a.jar, false",
    "applications/cluster0/gpu0.sh, false",
    "applications/cluster0/local/spark-1/blockmgr-1/0c/shuffle_0_0_0.data, false",
  })
  void keepsLogsButNoFilesOfShuffles(String file, boolean isLog) throws IOException {
    // Only folders below the one of the logs count.
    Path source = folder.resolve("local");
    Path path = source.resolve(file);
    Files.createDirectories(path.getParent());
    Files.createFile(path);
    assertEquals(isLog, SoakEvidence.isLog(source, path));
  }
}
