// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cli.CliCommand;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code bin/symshuffle} does without a build: in a tree that contains no other file. */
class LauncherTest {
  private static final Path TREE = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path tree;

  @TempDir private Path spark;

  private record Result(int status, String output) {}

  @BeforeEach
  void copyScript() throws IOException {
    Files.createDirectory(tree.resolve("bin"));
    Files.copy(TREE.resolve("bin/symshuffle"), tree.resolve("bin/symshuffle"));
    Files.copy(TREE.resolve("pom.xml"), tree.resolve("pom.xml"));
  }

  private Result run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("bash", tree.resolve("bin/symshuffle") + ""));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("SYMSHUFFLE_"));
    builder.environment().put("SPARK_HOME", spark.toString());
    List<Path> before = files();
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(10, TimeUnit.MINUTES), "it does not end");
    assertEquals(before, files(), () -> "it has built something: " + output);
    return new Result(process.exitValue(), output);
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(tree)) {
      return files.sorted().toList();
    }
  }

  /** By reflection, since the packaged jar has picocli under another name. */
  private static String name(Class<?> command) {
    try {
      for (Annotation annotation : command.getAnnotations()) {
        Class<? extends Annotation> type = annotation.annotationType();
        if (type.getSimpleName().equals("Command")) {
          return (String) type.getMethod("name").invoke(annotation);
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
    throw new AssertionError(command + " has no name");
  }

  @Test
  void helpListsAllCommands() throws Exception {
    TreeSet<String> listed =
        Pattern.compile("(?m)^  ([a-z]+) {2,}[A-Z]")
            .matcher(run("--help").output())
            .results()
            .map((MatchResult line) -> line.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    TreeSet<String> known =
        ServiceLoader.load(CliCommand.class).stream()
            .map(command -> name(command.type()))
            .collect(Collectors.toCollection(TreeSet::new));
    known.addAll(List.of("help", "jar"));
    assertEquals(known, listed);
    for (String same : List.of("help", "-h")) {
      assertEquals(run("--help"), run(same));
    }
    assertEquals(run("--help"), run());
  }

  @Test
  void printsTheVersionOfTheTree() throws Exception {
    Result result = run("version");
    assertEquals(0, result.status());
    assertTrue(result.output().matches("SymShuffle \\d+\\.\\d+\\.\\d+\\S*\\s*"), result.output());
    assertEquals(result, run("--version"));
  }

  @Test
  void archiveHasItsOwnVersionAndUsesASparkOfTheMachine() throws Exception {
    Files.delete(tree.resolve("pom.xml"));
    Files.writeString(tree.resolve("archive-version"), "1.2.3 (commit abc)");
    assertEquals("SymShuffle 1.2.3 (commit abc)\n", run("version").output());
    Path jars = Files.createDirectories(spark.resolve("jars"));
    assertEquals(
        "symshuffle: there is no spark-core_*.jar in %s: set SPARK_HOME to the folder of a Spark.\n"
            .formatted(jars),
        run("doctor").output());
    Files.createFile(jars.resolve("spark-core_2.13-4.1.3.jar"));
    assertEquals(
        "symshuffle: %s is of Spark 4.1 instead of 4.0: set SPARK_HOME to the folder of another Spark.\n"
            .formatted(jars),
        run("doctor", "--spark", "4.0").output());
    assertEquals(
        new Result(
            2,
            "symshuffle: the archive in %s is not for Spark 4.1.\n".formatted(tree.toRealPath())),
        run("doctor"));
  }

  @Test
  void saysWhereABuildCannotWrite() throws Exception {
    Files.createFile(tree.resolve("benchmarks"));
    Result result = run("jar");
    assertEquals(2, result.status());
    assertTrue(
        result.output().startsWith("symshuffle: cannot write to " + tree.resolve("benchmarks")),
        result.output());
  }

  @Test
  void optionIsNotTakenForAMissingVersion() throws Exception {
    Result needsVersion = new Result(2, "symshuffle: --spark needs a version: 4.0, 4.1 or 4.2.\n");
    assertEquals(needsVersion, run("doctor", "--spark"));
    assertEquals(needsVersion, run("doctor", "--spark", "--json"));
  }
}
