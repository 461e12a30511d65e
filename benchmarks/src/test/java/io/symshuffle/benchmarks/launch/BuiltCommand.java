// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A command of {@code bin/symshuffle} in its own process, with real applications. */
public final class BuiltCommand {
  private static final Path TREE = Path.of("..").toAbsolutePath().normalize();

  private BuiltCommand() {}

  /**
   * Describes the process.
   *
   * @param folder an existing folder, for links to Spark's jars
   * @param arguments those of {@code symshuffle}
   */
  public static ChildProcess.Builder of(Path folder, List<String> arguments) throws IOException {
    // A build in the background ignores Ctrl-C, and its children inherit that.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(io.symshuffle.cli.process.ChildProcess.memoryAccess());
    command.add("-Dsymshuffle.home=" + TREE);
    command.add("-Dsymshuffle.build=" + build("plugin"));
    command.add("-Dsymshuffle.spark.jars=" + sparkJars(folder));
    command.addAll(List.of("-cp", classPath(), "io.symshuffle.cli.Main"));
    command.addAll(arguments);
    return ChildProcess.of(command).name("symshuffle " + arguments.getFirst());
  }

  /**
   * The files that applications of this build need.
   *
   * @param folder an existing folder, for links to Spark's jars
   */
  public static SparkRuntime runtime(Path folder) throws IOException {
    return SparkRuntime.ofTree(TREE, sparkJars(folder));
  }

  /** As in {@code bin/symshuffle}: compiled classes, and picocli under its own name. */
  private static String classPath() {
    Stream<Path> classes =
        Stream.of("benchmarks", "plugin", "shuffle", "native")
            .map(module -> TREE.resolve(module).resolve(build(module)).resolve("classes"));
    return Stream.concat(classes, libraries(name -> !name.startsWith("symshuffle-")))
        .map(Path::toString)
        .collect(Collectors.joining(":"));
  }

  /** The native module does not depend on Spark and has one build for all versions of it. */
  private static String build(String module) {
    return module.equals("native") ? "target" : System.getProperty(SparkRuntime.BUILD, "target");
  }

  /** Creates a folder like Spark's {@code jars}, with links to the jars of this process. */
  static Path sparkJars(Path folder) throws IOException {
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
