// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.fake.FakeLibraries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Messages about libraries that cannot be used. */
class NvshmemLibraryTest {
  @TempDir private Path folder;

  @Test
  void missingLibraryIsReportedWithHowToInstallIt() {
    NvshmemLibrary library = open(folder);
    String absence = library.absence().orElseThrow();
    assertTrue(
        absence.startsWith(
            "NVSHMEM's host library was not found (" + folder.resolve("libnvshmem_host.so.3")),
        absence);
    assertTrue(
        absence.endsWith(
            ": install it (pip install nvidia-nvshmem-cu13, or the package libnvshmem3-cuda-13) or"
                + " name its folder in the configuration or in NVSHMEM_HOME"),
        absence);
    assertEquals(Optional.empty(), library.version());
    assertEquals(
        "NVSHMEM cannot be used: " + absence,
        assertThrows(NvshmemException.class, library::requireUsable).getMessage());
  }

  @Test
  void missingBootstrapPluginIsReported() throws IOException {
    fake(folder);
    Files.delete(folder.resolve("nvshmem_bootstrap_uid.so.3"));
    assertEquals(
        Optional.of(
            "nvshmem_bootstrap_uid.so.3 is missing next to "
                + folder.resolve("libnvshmem_host.so.3")
                + ": without it, PEs cannot find each other; install all of NVSHMEM, not just"
                + " its host library"),
        open(folder).absence());
  }

  @Test
  void missingSymbolIsReportedByName() throws IOException {
    Path file = fake(folder).resolve("libnvshmem_host.so.3");
    String bytes = Files.readString(file, ISO_8859_1);
    assertTrue(bytes.contains("nvshmemx_init_status\0"));
    Files.writeString(
        file, bytes.replace("nvshmemx_init_status\0", "nvshmemx_init_statuz\0"), ISO_8859_1);
    assertEquals(
        Optional.of(file + ", NVSHMEM 3.4.5, lacks nvshmemx_init_status: reinstall it"),
        open(folder).absence());
  }

  @ParameterizedTest
  @CsvSource({"3.2.5", "4.0.0", "2.11.0"})
  void unsupportedVersionIsReported(String version) {
    fake(folder);
    FakeLibraries.script(folder, "version=" + version);
    String absence = open(folder).absence().orElseThrow();
    assertTrue(
        absence.contains(
            "is NVSHMEM " + version + ", but 3.3.0 or newer of 3.x is required: install"),
        absence);
  }

  @Test
  void anotherLibraryIsNotTakenForNvshmem() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    Path other = FakeLibraries.cuda(folder);
    String absence =
        NvshmemLibrary.open(NvshmemSearch.here(Optional.of(other))).absence().orElseThrow();
    assertTrue(absence.startsWith(other + " is not NVSHMEM's host library, or is older"), absence);
  }

  private static Path fake(Path folder) {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    FakeLibraries.nvshmem(folder);
    return folder;
  }

  private static NvshmemLibrary open(Path folder) {
    return NvshmemLibrary.open(NvshmemSearch.here(Optional.of(folder)));
  }
}
