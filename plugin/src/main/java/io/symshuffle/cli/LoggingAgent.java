// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.jar.JarFile;

/**
 * Lets {@code java -jar} run our jar alone. Our classes log through SLF4J, which Spark brings and
 * our jar must not: two copies of it on one class path would part us from Spark's log. So the jar
 * carries it as a file, and where there is none, this puts it behind the class path before {@code
 * main} starts. The JVM calls it for what the manifest names as {@code Launcher-Agent-Class}.
 */
public final class LoggingAgent {
  private static final String LIBRARY = "slf4j-api.jar";

  private LoggingAgent() {}

  /**
   * Called by the JVM.
   *
   * @param arguments none
   * @param instrumentation adds to the class path
   * @throws IOException if the library cannot be unpacked into the folder for temporary files
   */
  public static void agentmain(String arguments, Instrumentation instrumentation)
      throws IOException {
    if (ClassLoader.getSystemResource("org/slf4j/LoggerFactory.class") != null) {
      return;
    }
    // Nobody has set up where a log should go, and results go to standard output.
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    Path copy = Files.createTempFile("symshuffle-", "-" + LIBRARY);
    copy.toFile().deleteOnExit();
    try (InputStream library = LoggingAgent.class.getResourceAsStream(LIBRARY)) {
      if (library == null) {
        return;
      }
      Files.copy(library, copy, StandardCopyOption.REPLACE_EXISTING);
    }
    instrumentation.appendToSystemClassLoaderSearch(new JarFile(copy.toFile()));
    // Processes that we start get the same class path.
    System.setProperty(
        "java.class.path", System.getProperty("java.class.path") + File.pathSeparator + copy);
  }
}
