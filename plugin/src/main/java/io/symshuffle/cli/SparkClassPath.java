// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import io.symshuffle.process.ChildProcess;
import io.symshuffle.process.TerminationHook;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Adds Spark's jars to the class path when they are missing, as under {@code java -jar}. Commands
 * need SLF4J and Jackson, which Spark provides and our jar must not contain: a second copy could
 * separate our log from Spark's.
 */
final class SparkClassPath {
  private SparkClassPath() {}

  /** Returns whether this process can load SLF4J and Jackson. */
  static boolean isComplete() {
    return ClassLoader.getSystemResource("org/slf4j/LoggerFactory.class") != null
        && ClassLoader.getSystemResource("com/fasterxml/jackson/databind/JsonNode.class") != null;
  }

  /**
   * Runs a command in a new process with the jars of {@code SPARK_HOME}.
   *
   * @throws CliException if {@code SPARK_HOME} does not name an installation of Spark
   */
  static int restart(String[] args, Map<String, String> environment) {
    String home = environment.getOrDefault("SPARK_HOME", "");
    String own = System.getProperty("java.class.path");
    if (home.isEmpty() || !hasSpark(Path.of(home, "jars"))) {
      throw CliException.wrongUsage(
          "This command needs Spark's jars. Set SPARK_HOME to an installation of Spark"
              + "%s, or put its jars on the class path: java -cp '%s:/path/to/spark/jars/*' %s %s"
                  .formatted(
                      home.isEmpty() ? "" : " (" + home + "/jars has no jackson-databind jar)",
                      own,
                      Main.class.getName(),
                      String.join(" ", args)));
    }
    try {
      List<String> command =
          ChildProcess.javaCommand(
              List.of("-Dslf4j.internal.verbosity=ERROR"),
              own + ":" + Path.of(home, "jars") + "/*",
              Main.class.getName(),
              List.of(args));
      Process process = new ProcessBuilder(command).inheritIO().start();
      TerminationHook hook = new TerminationHook(process::destroy);
      try {
        return process.waitFor();
      } finally {
        hook.close();
      }
    } catch (IOException e) {
      throw new CliException("Cannot start Java: " + e.getMessage() + ".", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException("Interrupted.", e);
    }
  }

  private static boolean hasSpark(Path jars) {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(jars, "jackson-databind-*.jar")) {
      return found.iterator().hasNext();
    } catch (IOException e) {
      return false;
    }
  }
}
