// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class GpuClusterTest {
  private static final Path FOLDER = Path.of("/out/applications/cluster0");

  @Test
  void putsLocalFoldersBesideOtherFilesOfTheRun() {
    assertEquals(
        Map.of("SPARK_LOCAL_DIRS", "/out/applications/cluster0/local"),
        GpuCluster.environment(FOLDER, Optional.empty()));
  }

  @Test
  void putsLocalFoldersWhereTheUserWantsThem() {
    assertEquals(
        Map.of("SPARK_LOCAL_DIRS", "/a,/b"), GpuCluster.environment(FOLDER, Optional.of("/a,/b")));
  }
}
