// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import java.io.PrintWriter;

/**
 * The output of a benchmark. On a terminal, the last line shows the current state and is
 * overwritten; elsewhere only whole lines are written, without the state.
 */
public final class Console {
  private static final int BAR = 30;
  private static final int WIDTH = 78;

  private final PrintWriter out;
  private final boolean terminal;
  private boolean shown;

  /** Creates a console that writes to {@code out}; {@code terminal}: whether that is a terminal. */
  public Console(PrintWriter out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** Returns the console of this process; {@code bin/symshuffle} detects a terminal. */
  public static Console of(PrintWriter out) {
    return new Console(out, Boolean.getBoolean("symshuffle.terminal"));
  }

  /** Writes one or several lines. */
  public synchronized void line(String text) {
    clear();
    out.println(text);
    out.flush();
  }

  /** Shows the current state; an empty text clears it. */
  public synchronized void status(String text) {
    if (!terminal) {
      return;
    }
    clear();
    if (!text.isEmpty()) {
      out.print(text.length() <= WIDTH ? text : text.substring(0, WIDTH));
      out.flush();
      shown = true;
    }
  }

  /** Shows progress: as a bar on a terminal, as a line elsewhere. */
  public synchronized void progress(String what, long done, long total) {
    if (terminal) {
      status(bar(done, total) + " " + what);
    } else {
      line(percent(done, total) + " % " + what);
    }
  }

  private static String bar(long done, long total) {
    int filled = total == 0 ? BAR : (int) (BAR * done / total);
    return "[" + "#".repeat(filled) + ".".repeat(BAR - filled) + "] " + percent(done, total) + " %";
  }

  private static long percent(long done, long total) {
    return total == 0 ? 100 : 100 * done / total;
  }

  private void clear() {
    if (shown) {
      out.print("\r" + " ".repeat(WIDTH) + "\r");
      out.flush();
      shown = false;
    }
  }
}
