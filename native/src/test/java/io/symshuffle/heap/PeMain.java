// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * One PE of a test, in a process of its own. Takes the names of steps on its input and answers each
 * with a line on its output; ends when the input ends, so that it does not outlive the test.
 */
public final class PeMain {
  /** How the answer to a step that went well starts. */
  public static final String DONE = "##done ";

  /** How the answer to a step that failed starts. */
  public static final String FAILED = "##failed ";

  private PeMain() {}

  /** Arguments: class name of the maker, PE, number of PEs, folder, window bytes. */
  public static void main(String[] arguments) throws Exception {
    HeapMaker maker =
        Class.forName(arguments[0])
            .asSubclass(HeapMaker.class)
            .getDeclaredConstructor()
            .newInstance();
    int pe = Integer.parseInt(arguments[1]);
    int peCount = Integer.parseInt(arguments[2]);
    Path folder = Path.of(arguments[3]);
    SymmetricHeap heap = maker.make(pe, peCount, folder, Long.parseLong(arguments[4]));
    System.out.println(DONE + "START");
    BufferedReader input =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ", 2);
      ContractStep step = ContractStep.valueOf(words[0]);
      try {
        step.run(new PeContext(heap, peCount, Long.parseLong(words[1])));
        System.out.println(DONE + step);
      } catch (Throwable e) {
        e.printStackTrace(System.out);
        System.out.println(FAILED + step + ": " + e);
      }
    }
    System.exit(0);
  }
}
