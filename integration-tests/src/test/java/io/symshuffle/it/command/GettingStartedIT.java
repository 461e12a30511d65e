// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the commands of the page "Getting started" on a new clone. */
@Tag("long")
class GettingStartedIT {
  private static final Path TREE = Path.of("..").toAbsolutePath().normalize();
  private static final Duration LIMIT = Duration.ofMinutes(15);
  private static final Pattern BLOCK = Pattern.compile("(?s)```bash\n(.*?)```");

  @TempDir private Path folder;

  @Test
  @Timeout(value = 40, unit = TimeUnit.MINUTES)
  void allCommandsOfThePageWork() throws IOException {
    Path clone = folder.resolve("symshuffle");
    run("git clone -q " + TREE + " " + clone, folder);
    List<String> blocks = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(Files.readString(clone.resolve("docs/getting-started.md")));
    while (matcher.find()) {
      blocks.add(matcher.group(1));
    }
    assertEquals(5, blocks.size(), blocks.toString());
    for (String block : blocks) {
      String output = run(block, clone);
      if (block.contains("doctor")) {
        assertTrue(output.contains("Applications with SymShuffle start: yes."), output);
      } else if (block.contains("demo")) {
        assertTrue(output.contains("demo: 3 queries, 0 differ, "), output);
      } else if (block.contains("tune")) {
        assertTrue(output.contains("spark.plugins  io.symshuffle.SymShufflePlugin"), output);
      }
    }
  }

  private String run(String script, Path place) {
    ChildProcess.Result result =
        ChildProcess.of("bash", "-euo", "pipefail", "-c", script)
            .name(script.strip())
            .folder(place)
            .withoutEnvironment("SPARK_")
            .run(LIMIT);
    assertEquals(0, result.status(), result.output());
    return result.output();
  }
}
