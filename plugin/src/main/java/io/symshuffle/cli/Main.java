// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli;

/**
 * Starts the command line. This class is compiled for Java 17, so that it can say which Java the
 * others need.
 */
public final class Main {
  private static final int OLDEST_JAVA = 21;

  private Main() {}

  /**
   * Runs a command and ends the process with its exit status.
   *
   * @param args the command line
   */
  public static void main(String[] args) {
    if (Runtime.version().feature() < OLDEST_JAVA) {
      System.err.printf(
          "symshuffle: Java %d or newer is needed, but %s is Java %s: set JAVA_HOME, or start a"
              + " newer java.%n",
          OLDEST_JAVA, System.getProperty("java.home"), Runtime.version());
      System.exit(2);
    }
    SymShuffleCommand.execute(args);
  }
}
