// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of the README and of the page "Getting started" on a new clone, word for word.
 * {@code WaysToStartIT} runs those of the page that need an installation of Spark.
 */
@Tag("long")
class GettingStartedIT {
  private static final Path TREE = Path.of("..").toAbsolutePath().normalize();
  private static final Duration LIMIT = Duration.ofMinutes(30);
  private static final Pattern BLOCK = Pattern.compile("(?s)```bash\n(.*?)```");

  @TempDir private Path folder;

  @Test
  @Timeout(value = 60, unit = TimeUnit.MINUTES)
  void allCommandsOfThePagesWork() throws IOException {
    Path clone = folder.resolve("symshuffle");
    run("git clone -q " + TREE + " " + clone, folder);
    Set<String> commands = new LinkedHashSet<>(commands(clone.resolve("docs/getting-started.md")));
    commands.addAll(commands(clone.resolve("README.md")));
    assertEquals(6, commands.size(), commands::toString);
    // The command of the README that needs an application comes last, after the demo has built.
    for (String command : commands) {
      boolean submits = command.startsWith("spark-submit");
      String output = run(submits ? example(command, clone) : command, clone);
      assertTrue(output.contains(expected(command)), output);
    }
  }

  /** Text in the output of a command. */
  private static String expected(String command) {
    if (command.startsWith("spark-submit")) {
      return "100 groups, as with sort shuffle: true";
    }
    String name = command.replaceFirst("^bin/symshuffle (\\w+).*", "$1");
    return switch (name) {
      case "doctor" -> "Applications with SymShuffle start: yes.";
      case "demo" -> "demo: 22 queries, 0 differ, ";
      case "tune" -> "spark.plugins  io.symshuffle.SymShufflePlugin";
      case "jar" -> "/plugin/target/symshuffle-spark-";
      default -> throw new IllegalStateException("unexpected command: " + command);
    };
  }

  /** Replaces the dots of the page by an application, and installs {@code spark-submit}. */
  private String example(String command, Path clone) throws IOException {
    Path jars = clone.resolve("benchmarks/target/spark-runtime/jars");
    Path submit = Files.createDirectories(folder.resolve("bin")).resolve("spark-submit");
    Files.writeString(
        submit,
        """
        #!/bin/sh
        exec java --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/sun.nio.ch=ALL-UNNAMED \\
          --add-opens=java.base/java.lang=ALL-UNNAMED --add-opens=java.base/java.lang.invoke=ALL-UNNAMED \\
          --add-opens=java.base/java.util=ALL-UNNAMED -cp '%s/*' org.apache.spark.deploy.SparkSubmit "$@"
        """
            .formatted(jars),
        UTF_8);
    Files.setPosixFilePermissions(submit, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertTrue(command.endsWith(" ..."), command);
    return "javac -cp '%s/*' -d example docs/examples/Example.java\n".formatted(jars)
        + "jar --create --file example.jar -C example .\n"
        + command.substring(0, command.length() - "...".length())
        + "--master 'local[2]' --conf spark.ui.enabled=false --class Example example.jar";
  }

  /** Returns the commands of the blocks of a page, without line breaks. */
  private static Set<String> commands(Path page) throws IOException {
    Set<String> commands = new LinkedHashSet<>();
    Matcher block = BLOCK.matcher(Files.readString(page));
    while (block.find()) {
      block.group(1).replaceAll("\\\\\n *", "").lines().forEach(commands::add);
    }
    return commands;
  }

  private String run(String script, Path place) {
    String java = Path.of(System.getProperty("java.home"), "bin").toString();
    ChildProcess.Result result =
        ChildProcess.of("bash", "-euo", "pipefail", "-c", script)
            .name(script.strip())
            .folder(place)
            .withoutEnvironment("SPARK_")
            .environment(
                Map.of(
                    "PATH",
                    folder.resolve("bin") + ":" + java + ":" + System.getenv("PATH"),
                    "SPARK_LOCAL_IP",
                    "127.0.0.1"))
            .run(LIMIT);
    assertEquals(0, result.status(), result.output());
    return result.output();
  }
}
