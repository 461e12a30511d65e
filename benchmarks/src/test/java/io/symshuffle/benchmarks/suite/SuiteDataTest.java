// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.suite;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.benchmarks.workload.Suite;
import io.symshuffle.cli.CliException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SuiteDataTest {
  private static final String BOTH =
      """
      nation.rows=25
      nation.files=1 files, 100 bytes
      region.rows=5
      region.files=1 files, 50 bytes
      """;

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();

  @Test
  void existingTablesAreNotGeneratedAgain() throws IOException {
    write("nation", 100);
    write("region", 50);
    mark(BOTH);
    assertEquals(folder.toAbsolutePath(), ensure("nation", "region"));
  }

  @Test
  void truncatedTableIsGeneratedAgain() throws IOException {
    write("nation", 99);
    write("region", 50);
    mark(BOTH);
    assertGenerates("nation");
    assertTrue(out.toString().contains("Not complete in"), out::toString);
    assertAll(
        () -> assertFalse(Files.exists(folder.resolve("nation")), "left to Spark"),
        () -> assertTrue(Files.exists(folder.resolve("region")), "complete"));
  }

  @Test
  void tableThatWasInterruptedIsGeneratedAgain() throws IOException {
    write("nation", 100);
    assertGenerates("nation");
    assertFalse(Files.exists(folder.resolve("nation")));
  }

  @Test
  void tablesOfAnOlderVersionAreGeneratedAgain() throws IOException {
    write("nation", 100);
    Files.writeString(marker(), "scale=0.01\nformat=1\nnation.rows=25\n");
    assertGenerates("nation");
  }

  @Test
  void scaleThatDoesNotFitOnTheDiskIsRefusedWithTheNumbers() throws IOException {
    Path empty = Files.createDirectory(folder.resolve("empty"));
    PrintWriter writer = new PrintWriter(out);
    SuiteData huge = new SuiteData(empty, Suite.TPCH, 100_000_000, new Console(writer, false));
    String message =
        assertThrows(
                CliException.class,
                () -> huge.ensure(List.of("nation"), null, null, null, Duration.ofMillis(1)))
            .getMessage();
    assertTrue(
        message.matches(
            "TPC-H tables at scale 100000000 need about [0-9.]+ PiB more, but \\S+/empty has"
                + " [0-9.]+ [GMK]iB free: choose a smaller --scale, or another folder with"
                + " --data."),
        message);
  }

  @Test
  void tablesThatAreThereNeedNoMoreSpace() throws IOException {
    write("lineitem", 0);
    Path part = folder.resolve("lineitem/part-0.parquet");
    try (RandomAccessFile sparse = new RandomAccessFile(part.toFile(), "rw")) {
      sparse.setLength(8_000L << 30);
    }
    assertThrows(
        NullPointerException.class,
        () -> data(20_000).ensure(List.of("nation"), null, null, null, Duration.ofMillis(1)));
    assertTrue(out.toString().contains("Generating TPC-H tables"), out::toString);
  }

  @Test
  void fileInsteadOfAFolderIsRefusedBeforeApplicationsStart() throws IOException {
    Path file = Files.writeString(folder.resolve("notes.txt"), "mine");
    PrintWriter writer = new PrintWriter(out);
    SuiteData data = new SuiteData(file, Suite.TPCH, 0.01, new Console(writer, false));
    assertEquals(
        file + " is not a folder: choose another one with --data.",
        assertThrows(CliException.class, () -> data.check(List.of("nation"))).getMessage());
  }

  @Test
  void folderWithOtherFilesIsRefused() throws IOException {
    Files.writeString(folder.resolve("notes.txt"), "mine");
    String message = assertThrows(CliException.class, () -> ensure("nation")).getMessage();
    assertTrue(message.contains("contains other files, such as notes.txt"), message);
    assertTrue(Files.exists(folder.resolve("notes.txt")));
  }

  @Test
  void givesUpWhenAnotherCommandKeepsTheFolder() throws IOException {
    try (FileChannel file =
            FileChannel.open(
                folder.resolve("symshuffle-tpch.lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock lock = file.lock()) {
      String message = assertThrows(CliException.class, () -> ensure("nation")).getMessage();
      assertTrue(lock.isValid());
      assertTrue(message.startsWith("Another command has been using " + folder), message);
    }
    assertGenerates("nation");
  }

  @Test
  void differentScaleIsRefused() throws IOException {
    mark("nation.rows=25\n");
    String message =
        assertThrows(
                CliException.class,
                () -> data(0.02).ensure(List.of("nation"), null, null, null, Duration.ofMillis(1)))
            .getMessage();
    assertTrue(message.contains("have scale 0.01, not 0.02"), message);
  }

  /** Without an application, the attempt to generate a table fails. */
  private void assertGenerates(String table) {
    assertThrows(NullPointerException.class, () -> ensure(table));
    assertTrue(out.toString().contains("Generating TPC-H tables"), out::toString);
  }

  private void write(String table, int bytes) throws IOException {
    Files.createDirectories(folder.resolve(table));
    Files.write(folder.resolve(table).resolve("part-0.parquet"), new byte[bytes]);
  }

  private Path marker() {
    return folder.resolve("symshuffle-tpch.properties");
  }

  private void mark(String tables) throws IOException {
    Files.writeString(marker(), "scale=0.01\nformat=3\n" + tables);
  }

  private Path ensure(String... tables) {
    return data(0.01).ensure(List.of(tables), null, null, null, Duration.ofMillis(1));
  }

  private SuiteData data(double scale) {
    PrintWriter writer = new PrintWriter(out);
    return new SuiteData(folder, Suite.TPCH, scale, new Console(writer, false));
  }
}
