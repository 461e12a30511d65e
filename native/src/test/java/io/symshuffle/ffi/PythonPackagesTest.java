// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PythonPackagesTest {
  private static final String NAME = "nvidia/nvshmem/lib/libnvshmem_host.so.3";

  @TempDir private Path root;

  @Test
  void findsAFileOfAVirtualEnvironmentOnce() throws IOException {
    Path environment = root.resolve("venv");
    Path file = install(environment);
    Files.createSymbolicLink(environment.resolve("lib64"), Path.of("lib"));
    assertEquals(List.of(file), packages(Map.of("VIRTUAL_ENV", environment.toString())).find(NAME));
  }

  @Test
  void findsTheActiveEnvironmentBeforeTheSystem() throws IOException {
    Path system = install(root.resolve("usr"));
    Path environment = root.resolve("venv");
    Path active = install(environment);
    assertEquals(
        List.of(active, system),
        packages(Map.of("VIRTUAL_ENV", environment.toString())).find(NAME));
  }

  @Test
  void findsNothingWithoutPython() {
    assertEquals(List.of(), packages(Map.of()).find(NAME));
  }

  private PythonPackages packages(Map<String, String> environment) {
    return new PythonPackages(environment, root);
  }

  private static Path install(Path prefix) throws IOException {
    Path file = prefix.resolve("lib/python3.12/site-packages").resolve(NAME);
    Files.createDirectories(file.getParent());
    return Files.createFile(file);
  }
}
