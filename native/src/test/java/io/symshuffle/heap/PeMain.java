// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * The main loop of a PE in a test, in a separate process: reads steps from standard input and
 * answers each with a line on standard output. It exits at the end of its input, so it does not
 * outlive the test.
 */
public final class PeMain {
  /** Start of the answer to a step that succeeded. */
  public static final String DONE = "##done ";

  /** Start of the answer to a step that failed. */
  public static final String FAILED = "##failed ";

  private PeMain() {}

  /** Runs a step. */
  @FunctionalInterface
  public interface Steps {
    /** Runs the step of this name with this seed. */
    void run(String step, long seed) throws Exception;
  }

  /** Reports that this PE is ready, serves steps until the input ends, and exits. */
  public static void serve(Steps steps) throws IOException {
    System.out.println(DONE + "START");
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ", 2);
      try {
        steps.run(words[0], Long.parseLong(words[1]));
        System.out.println(DONE + words[0]);
      } catch (Throwable e) {
        e.printStackTrace(System.out);
        System.out.println(FAILED + words[0] + ": " + e);
      }
    }
    System.exit(0);
  }
}
