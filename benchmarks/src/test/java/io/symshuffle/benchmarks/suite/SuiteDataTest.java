// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.workload.Suite;
import io.symshuffle.cli.CliException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SuiteDataTest {
  @TempDir private Path folder;

  @Test
  void existingTablesAreNotGeneratedAgain() throws IOException {
    mark("nation.rows=25\nregion.rows=5\n");
    assertEquals(folder.toAbsolutePath(), ensure("nation", "region"));
  }

  @Test
  void differentScaleIsRefused() throws IOException {
    mark("nation.rows=25\n");
    String message =
        assertThrows(
                CliException.class,
                () -> data(0.02).ensure(List.of("nation"), null, null, null, null))
            .getMessage();
    assertTrue(message.contains("have scale 0.01, not 0.02"), message);
  }

  @Test
  void invalidCountIsReportedWithItsFile() throws IOException {
    mark("nation.rows=25\nregion.rows=many\n");
    String message =
        assertThrows(CliException.class, () -> ensure("nation", "region")).getMessage();
    assertEquals(
        "%s has an invalid number for region.rows: 'many'. Delete the file to generate the tables again."
            .formatted(marker().toAbsolutePath()),
        message);
  }

  private Path marker() {
    return folder.resolve("symshuffle-tpch.properties");
  }

  private void mark(String counts) throws IOException {
    Files.writeString(marker(), "scale=0.01\nformat=1\n" + counts);
  }

  private Path ensure(String... tables) {
    return data(0.01).ensure(List.of(tables), null, null, null, null);
  }

  private SuiteData data(double scale) {
    return new SuiteData(
        folder, Suite.TPCH, scale, Console.of(new PrintWriter(new StringWriter())));
  }
}
