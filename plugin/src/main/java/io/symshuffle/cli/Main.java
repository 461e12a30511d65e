// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

import io.symshuffle.plugin.config.JavaDefects;

/**
 * Starts the command line. This class is compiled for Java 17, so that it can say which Java the
 * others need.
 */
public final class Main {
  private Main() {}

  /** Runs a command and ends the process with its exit status. */
  public static void main(String[] args) {
    if (Runtime.version().feature() < JavaDefects.OLDEST_JAVA) {
      System.err.printf(
          "symshuffle: Java %d or newer is needed, but %s is Java %s: set JAVA_HOME, or start a"
              + " newer java.%n",
          JavaDefects.OLDEST_JAVA, System.getProperty("java.home"), Runtime.version());
      System.exit(2);
    }
    SymShuffleCommand.execute(args);
  }
}
