// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.demo;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The demonstration as users run it: its own process, real applications, the packaged jar. */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // it takes half a minute on an idle machine
class DemoIT {
  private static final Duration LIMIT = Duration.ofMinutes(8);
  private static final Path TREE = Path.of("..").toAbsolutePath().normalize();

  @TempDir private Path folder;

  private Process process;

  @AfterEach
  void leaveNothingBehind() {
    if (process != null) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  @Test
  void bothManagersGiveTheSameRowsAndThereAreReports() throws Exception {
    start("--scale", "0.01", "--queries", "q1,q3", "--runs", "1");
    boolean ended = process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
    String output = output();
    assertTrue(ended, output);
    List<String> lines = output.lines().toList();
    assertAll(
        output,
        () -> assertEquals(0, process.exitValue()),
        () -> assertTrue(output.contains("symshuffle: io.symshuffle.shuffle.SymShuffleManager")),
        () ->
            assertTrue(
                lines
                    .getLast()
                    .matches("demo: 2 queries, 0 differ, geometric mean speed-up \\d+\\.\\d\\d")),
        () -> assertTrue(Files.readString(folder.resolve("out/demo.html")).contains(">q3<")),
        () -> assertTrue(Files.size(folder.resolve("out/demo.json")) > 0),
        () -> assertEquals(4, Files.readAllLines(folder.resolve("out/rows/q1.sort.txt")).size()));
  }

  @Test
  void ctrlCEndsItWithAllItsProcessesAndStatus130() throws Exception {
    start("--scale", "0.01", "--queries", "q1", "--runs", "1000", "--managers", "sort");
    // The driver and its two executors.
    await(() -> process.descendants().count() >= 3);
    List<ProcessHandle> children = process.descendants().toList();
    new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
    assertTrue(process.waitFor(1, TimeUnit.MINUTES), output());
    assertAll(
        output(),
        () -> assertEquals(130, process.exitValue()),
        () -> assertEquals(List.of(), children.stream().filter(ProcessHandle::isAlive).toList()));
  }

  private void start(String... options) throws IOException {
    // A build that runs in the background ignores Ctrl-C, and its children inherit that.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Dsymshuffle.home=" + TREE);
    command.add("-Dsymshuffle.spark.jars=" + sparkJars());
    command.add("-cp");
    command.add(classPath());
    command.addAll(List.of("io.symshuffle.plugin.cli.Main", "demo"));
    command.addAll(List.of("--data", folder.resolve("data").toString()));
    command.addAll(List.of("--out", folder.resolve("out").toString()));
    command.addAll(Arrays.asList(options));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile())
            .start();
  }

  /** As {@code bin/symshuffle} does: our classes as they were compiled, picocli as it comes. */
  private static String classPath() {
    Stream<Path> classes =
        Stream.of("benchmarks", "plugin", "shuffle", "native")
            .map(module -> TREE.resolve(module).resolve("target/classes"));
    return Stream.concat(classes, libraries(name -> !name.startsWith("symshuffle-")))
        .map(Path::toString)
        .collect(Collectors.joining(":"));
  }

  /** A folder that looks like Spark's, made of links to the jars of this process. */
  private Path sparkJars() throws IOException {
    Path jars = Files.createDirectories(folder.resolve("jars"));
    for (Path jar :
        libraries(name -> !name.startsWith("symshuffle-") && !name.startsWith("picocli-"))
            .toList()) {
      Files.createSymbolicLink(jars.resolve(jar.getFileName()), jar);
    }
    return jars;
  }

  private static Stream<Path> libraries(Predicate<String> wanted) {
    return Arrays.stream(System.getProperty("java.class.path").split(":"))
        .filter(entry -> entry.endsWith(".jar"))
        .map(Path::of)
        .filter(jar -> wanted.test(jar.getFileName().toString()));
  }

  private String output() throws IOException {
    return Files.readString(folder.resolve("output"));
  }

  private interface Condition {
    boolean holds() throws IOException;
  }

  private void await(Condition condition) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.holds()) {
      assertTrue(process.isAlive() && System.nanoTime() < end, output());
      Thread.sleep(100);
    }
  }
}
