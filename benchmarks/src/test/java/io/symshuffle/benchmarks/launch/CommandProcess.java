// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

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

/** A command as users run it: its own process, real applications, the packaged jar. */
public final class CommandProcess implements AutoCloseable {
  private static final Path TREE = Path.of("..").toAbsolutePath().normalize();

  private final Process process;
  private final Path output;

  private CommandProcess(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /**
   * Starts it.
   *
   * @param folder for its output and the jars; it exists
   * @param arguments those of {@code symshuffle}
   */
  public static CommandProcess start(Path folder, List<String> arguments) throws IOException {
    // A build that runs in the background ignores Ctrl-C, and its children inherit that.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
    command.add("-Dsymshuffle.home=" + TREE);
    command.add("-Dsymshuffle.spark.jars=" + sparkJars(folder));
    command.addAll(List.of("-cp", classPath(), "io.symshuffle.cli.Main"));
    command.addAll(arguments);
    Path output = folder.resolve("output");
    return new CommandProcess(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start(),
        output);
  }

  /** The process. */
  public Process process() {
    return process;
  }

  /** Waits for its end; returns whether it came in time. */
  public boolean waitFor(Duration limit) throws InterruptedException {
    return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** What it has written so far. */
  public String output() throws IOException {
    return Files.readString(output);
  }

  /** Leaves no process behind. */
  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
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
  private static Path sparkJars(Path folder) throws IOException {
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
