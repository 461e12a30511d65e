// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

/** A short soak with a fixed seed; {@code bin/symshuffle chaos} does more of it. */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // it takes 40 s on an idle machine
class ChaosIT {
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
  void underFaultsEveryAnswerIsRightAndNothingIsLeft() throws Exception {
    Path json = folder.resolve("chaos.json");
    start("--minutes", "0.1", "--jobs", "4", "--seed", "3", "--json", json.toString());
    boolean ended = process.waitFor(9, TimeUnit.MINUTES);
    String output = Files.readString(folder.resolve("output"));
    assertTrue(ended && Files.exists(json), output);
    JsonNode report = new ObjectMapper().readTree(json.toFile());
    assertAll(
        output,
        () -> assertEquals(0, process.exitValue()),
        () -> assertTrue(report.path("answersCompared").asInt() >= 4),
        () -> assertEquals(report.path("jobs"), report.path("answersCompared")),
        () -> assertTrue(report.path("allFaults").asInt() >= 1),
        () -> assertEquals(0, report.path("differences").asInt()),
        () -> assertEquals(0, report.path("leakedHeapBytes").asLong()));
  }

  private void start(String... options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Dsymshuffle.home=" + TREE);
    command.add("-Dsymshuffle.spark.jars=" + sparkJars());
    command.addAll(List.of("-cp", classPath(), "io.symshuffle.plugin.cli.Main", "chaos"));
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
}
