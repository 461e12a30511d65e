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
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A command of {@code bin/symshuffle} in its own process, with real applications. */
public final class BuiltCommand {
  private static final Path TREE = Path.of("..").toAbsolutePath().normalize();

  private static Path sharedJars;

  private BuiltCommand() {}

  /**
   * Describes the process.
   *
   * @param arguments those of {@code symshuffle}
   */
  public static ChildProcess.Builder of(List<String> arguments) throws IOException {
    return process(classPath(), "io.symshuffle.cli.Main", arguments)
        .name("symshuffle " + arguments.getFirst());
  }

  /**
   * Describes a process that runs a class of the tests, with the options and the class path of
   * {@code bin/symshuffle}.
   *
   * @param main a class in a folder of the class path, with a main method
   */
  public static ChildProcess.Builder of(Class<?> main) throws IOException {
    String tests = main.getProtectionDomain().getCodeSource().getLocation().getPath();
    return process(classPath() + ":" + tests, main.getName(), List.of()).name(main.getSimpleName());
  }

  private static ChildProcess.Builder process(String classPath, String main, List<String> arguments)
      throws IOException {
    // A build in the background ignores Ctrl-C, and its children inherit that.
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(io.symshuffle.cli.process.ChildProcess.memoryAccess());
    command.add("-Dsymshuffle.home=" + TREE);
    command.add("-Dsymshuffle.build=" + build("plugin"));
    command.add("-Dsymshuffle.spark.jars=" + sharedJars());
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(arguments);
    List<String> options = new ArrayList<>(SharedClasses.options(sharedJars() + "/*"));
    options.add(System.getenv().getOrDefault("JAVA_TOOL_OPTIONS", ""));
    return ChildProcess.of(command)
        .environment(Map.of("JAVA_TOOL_OPTIONS", String.join(" ", options)));
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

  /** The jars of all commands, so that their drivers can share classes. */
  private static synchronized Path sharedJars() throws IOException {
    if (sharedJars == null) {
      Path folder = Path.of(build("benchmarks"), "spark-jars").toAbsolutePath();
      Folders.delete(folder);
      sharedJars = sparkJars(Files.createDirectories(folder));
    }
    return sharedJars;
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
