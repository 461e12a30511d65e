// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.launch.Mistakes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChaosCommandTest {
  @ParameterizedTest
  @CsvSource({
    "--executors 3, --executors needs --rapids",
    "--executors 0 --gpus 1, '--executors is 0; it must be at least 1.'",
    "--hosts 1, '--hosts is 1; it must be from 2 to 64.'",
    "--hosts 2 --executors 3, '--hosts is for executors without GPUs'",
    "--pods, '--pods, --own and --other-jar have no effect without --hosts N.'",
    "--own USERS, '--pods, --own and --other-jar have no effect without --hosts N.'",
    "--hosts 2 --other-jar missing.jar, '--other-jar is missing.jar, which does not exist.'",
    "--gpus 0, '--gpus is 0; it must be at least 1.'",
    "--gpus 1, '--gpus has no effect without --rapids JAR.'",
    "--master spark://host:7077, because chaos kills executors",
    "--master somewhere, 'not a master URL'",
    "--minutes 0, --minutes",
    "--rapids missing.jar, '--rapids is missing.jar, which does not exist.'",
  })
  void mistakesAreExplained(String arguments, String words) {
    String message = mistake(arguments.split(" ", -1));
    assertTrue(message.contains(words), message);
  }

  @Test
  void keepsOtherFilesInOut(@TempDir Path folder) throws IOException {
    Path mine = Files.writeString(folder.resolve("notes.txt"), "mine");
    String message = mistake("--out", folder.toString());
    assertTrue(message.contains("contains other files, such as notes.txt"), message);
    assertTrue(Files.exists(mine), "deleted");
  }

  @Test
  void replacesFilesOfEarlierSoak(@TempDir Path folder) throws IOException {
    for (String name :
        List.of(
            "rows",
            "sort",
            "symshuffle-0",
            "symshuffle-12-cluster",
            "symshuffle-3-disks",
            "symshuffle-3-hosts",
            "history-1")) {
      Files.createDirectory(folder.resolve(name));
    }
    Files.createFile(folder.resolve("faults-12.log"));
    Files.createFile(folder.resolve("failing_calls.so"));
    assertDoesNotThrow(() -> ChaosSoak.checkFolder(folder));
    assertDoesNotThrow(() -> ChaosSoak.checkFolder(folder.resolve("new")));
  }

  private static String mistake(String... arguments) {
    return Mistakes.messageOf(new ChaosCommand(), arguments);
  }
}
