// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Chart and table of the README are what their script makes from the reports in the tree. */
class PicturesTest {

  private static final Path IMAGES = Path.of("../docs/images").toAbsolutePath().normalize();

  @TempDir private Path folder;

  @BeforeEach
  void findPython() {
    assumeTrue(
        ChildProcess.of("sh", "-c", "command -v python3").run(Await.LIMIT).status() == 0,
        "there is no python3 on the PATH");
  }

  @Test
  void chartAndTableShowTheReports() throws IOException {
    python("charts.py", folder.toString());
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> made = files.toList();
      assertEquals(2, made.size(), made.toString());
      for (Path file : made) {
        boolean isReadme = file.endsWith("README.md");
        assertPublished(
            file, isReadme ? Path.of("../README.md") : IMAGES.resolve(file.getFileName()));
      }
    }
  }

  @Test
  void reportsAreReducedToTheirRuns() throws IOException {
    Path report = folder.resolve("new.json");
    Files.writeString(
        report,
        """
        {"info": {"commandLine": "bin/symshuffle demo", "machine": {"cores": 2}},
         "plan": {"title": "TPC-H", "runs": 2}, "managers": ["sort", "symshuffle"],
         "results": [{"job": "q1", "outcome": {"name": "q1", "difference": "", "entries": [
           {"manager": "sort", "seconds": [2.5, 2.123456789], "figures": {"bytesWritten": 9}},
           {"manager": "symshuffle", "seconds": [1, 1.5], "figures": {"bytesWritten": 20}}]}}]}
        """);
    Path reduced = folder.resolve("reduced.json");
    python("../benchmarks/reduce.py", reduced.toString(), report.toString());
    String text = Files.readString(reduced);
    assertTrue(
        text.contains(
            "{\"name\": \"q1\", \"seconds\": [[2.5, 2.1235], [1, 1.5]], \"bytesWritten\": [9,"
                + " 20]}"),
        text);
    assertTrue(text.contains("\"command\": \"bin/symshuffle demo\""), text);
  }

  private static void python(String script, String... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of("env", "PYTHONDONTWRITEBYTECODE=1", "python3", IMAGES.resolve(script) + ""));
    command.addAll(List.of(arguments));
    ChildProcess.Result ended = ChildProcess.of(command).name(script).run(Await.LIMIT);
    assertEquals(0, ended.status(), ended.output());
  }

  private static void assertPublished(Path made, Path published) throws IOException {
    assertEquals(
        List.of(),
        differences(Files.readAllLines(made), Files.readAllLines(published)),
        () -> published + " is old: run docs/images/charts.py");
  }

  /** The first lines that differ. */
  private static List<String> differences(List<String> drawn, List<String> published) {
    return Stream.concat(
            drawn.stream().filter(line -> !published.contains(line)),
            published.stream().filter(line -> !drawn.contains(line)))
        .limit(5)
        .toList();
  }
}
