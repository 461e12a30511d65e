// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.cli.pe.PeLine;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class CollectiveCommandTest {
  @Test
  void showsWhatFirstPeHasMeasured() {
    StringWriter out = new StringWriter();
    PrintWriter writer = new PrintWriter(out);
    Console console = new Console(writer, writer, true);
    for (int pe = 0; pe < 2; pe++) {
      PeLine line = new PeLine(pe, "result", List.of("pull", "4096", "1.5", "0", "true"));
      CollectiveCommand.show(line, console);
    }
    assertEquals("measuring, done with pull of 4 KiB", out.toString());
  }
}
