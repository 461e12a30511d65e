// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A command of {@code bin/symshuffle} in its own process, with real applications. */
public final class BuiltCommand {
  /**
   * How long tests wait for a command or an application, which takes seconds to few minutes on an
   * idle machine. Only one that hangs takes that long: many run beside each other, also on machines
   * with few slow cores.
   */
  public static final Duration LIMIT = Duration.ofMinutes(40);

  private static final Path TREE = Path.of("..").toAbsolutePath().normalize();

  private BuiltCommand() {}

  /**
   * Describes the process. Its applications share {@link SharedClasses}.
   *
   * @param arguments those of {@code symshuffle}
   */
  public static ChildProcess.Builder of(List<String> arguments) throws IOException {
    List<String> options = new ArrayList<>(SharedClasses.options());
    options.add(System.getenv().getOrDefault("JAVA_TOOL_OPTIONS", ""));
    return unshared(arguments).environment(Map.of("JAVA_TOOL_OPTIONS", String.join(" ", options)));
  }

  /**
   * Describes the process of a command with few or no applications, for which it is not worth it to
   * create {@link SharedClasses}.
   *
   * @param arguments those of {@code symshuffle}
   */
  public static ChildProcess.Builder unshared(List<String> arguments) throws IOException {
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
    command.addAll(ChildProcess.memoryAccess());
    command.add("-Dsymshuffle.home=" + TREE);
    command.add("-Dsymshuffle.build=" + build("plugin"));
    command.add("-Dsymshuffle.spark.jars=" + SharedClasses.jars());
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(arguments);
    return ChildProcess.of(command);
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
    // On the class path of integration-tests, which uses the packaged jar, there is no picocli.
    Stream<Path> picocli =
        Stream.ofNullable(System.getProperty("symshuffle.picocli")).map(Path::of);
    Stream<Path> libraries = SharedClasses.libraries(name -> !name.startsWith("symshuffle-"));
    return Stream.of(classes, picocli, libraries)
        .flatMap(paths -> paths)
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
    SharedClasses.link(
        SharedClasses.libraries(
                name -> !name.startsWith("symshuffle-") && !name.startsWith("picocli-"))
            .toList(),
        jars);
    return jars;
  }
}
