// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.packaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pictures of the README are what their scripts draw from the data in the tree. */
class PicturesTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final Path IMAGES = Path.of("../docs/images").toAbsolutePath().normalize();

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"charts.py"})
  void publishedPicturesAreThoseOfTheScript(String script) throws IOException {
    assumeTrue(
        ChildProcess.of("sh", "-c", "command -v python3").run(LIMIT).status() == 0,
        "there is no python3 on the PATH");
    ChildProcess.Result drawn =
        ChildProcess.of(
                "env",
                "PYTHONDONTWRITEBYTECODE=1",
                "python3",
                IMAGES.resolve(script).toString(),
                folder.toString())
            .name(script)
            .run(LIMIT);
    assertEquals(0, drawn.status(), drawn.output());
    try (Stream<Path> pictures = Files.list(folder)) {
      for (Path picture : pictures.toList()) {
        Path published = IMAGES.resolve(picture.getFileName());
        assertEquals(
            List.of(),
            differences(Files.readAllLines(picture), Files.readAllLines(published)),
            () -> published + " is old: run docs/images/" + script);
      }
    }
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
