// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class ConsoleTest {
  private final StringWriter out = new StringWriter();

  @Test
  void fileGetsOnlyWholeLines() {
    Console console = new Console(new PrintWriter(out), false);
    console.status("q1: run 1");
    console.progress("lineitem", 1, 4);
    console.line("q1 done");
    assertEquals("25 % lineitem\nq1 done\n", out.toString().replace(System.lineSeparator(), "\n"));
  }

  @Test
  void terminalGetsAProgressBar() {
    Console console = new Console(new PrintWriter(out), true);
    console.progress("lineitem", 1, 2);
    String bar = "[" + "#".repeat(15) + ".".repeat(15) + "] 50 % lineitem";
    assertEquals(bar, out.toString());
    console.line("done");
    assertTrue(out.toString().matches("(?s)\\Q" + bar + "\\E\r +\rdone\\R"), out.toString());
  }
}
