// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.cli.Terminal;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import picocli.CommandLine;

/**
 * The output of a benchmark. On a terminal, the last line shows the current state, for how long it
 * lasts, and how long all steps will still take; it is overwritten. Elsewhere only whole lines are
 * written: a state that lasts is written every 10 seconds, so that no wait looks like a failure.
 */
public final class Console {
  private static final int BAR = 20;
  private static final int WIDTH = 78;
  private static final long SILENCE_NANOS = Duration.ofSeconds(10).toNanos();

  private final PrintWriter out;
  private final PrintWriter err;
  private final boolean terminal;
  private final LongSupplier nanos;

  @GuardedBy("this")
  private String state = "";

  @GuardedBy("this")
  private long stateSince;

  @GuardedBy("this")
  private long lastOutput;

  @GuardedBy("this")
  private long firstStep;

  @GuardedBy("this")
  private long lastStep;

  @GuardedBy("this")
  private long done;

  @GuardedBy("this")
  private long total;

  /** When all steps are done, as estimated by the work itself; 0 if it does not estimate it. */
  @GuardedBy("this")
  private long end;

  @GuardedBy("this")
  private String shown = "";

  @GuardedBy("this")
  private String wait = "";

  @GuardedBy("this")
  private boolean ended;

  /**
   * Creates a console whose state changes only when it is told to.
   *
   * @param out receives results and the state
   * @param err receives what is being waited for, unless {@code out} is a terminal
   * @param terminal whether {@code out} is a terminal
   */
  public Console(PrintWriter out, PrintWriter err, boolean terminal) {
    this(out, err, terminal, System::nanoTime);
  }

  /**
   * The same with another clock.
   *
   * @param nanos a clock, in nanoseconds
   */
  Console(PrintWriter out, PrintWriter err, boolean terminal, LongSupplier nanos) {
    this.out = out;
    this.err = err;
    this.terminal = terminal;
    this.nanos = nanos;
    this.lastOutput = nanos.getAsLong();
  }

  /**
   * Returns the console of this process; {@code bin/symshuffle} detects a terminal. A daemon thread
   * keeps the state up to date.
   */
  // The console, and so its clock, lives until the process ends.
  @SuppressWarnings("resource")
  public static Console of(CommandLine command) {
    Console console = new Console(command.getOut(), command.getErr(), Terminal.here().isTerminal());
    new EverySecond(console::tick);
    return console;
  }

  /**
   * Says what is being waited for from now on, if that takes long and no state is shown.
   *
   * @param what the end of a sentence that begins with "Waiting for"; called every second
   * @return to be closed when the wait is over
   */
  public Waiting waiting(Supplier<String> what) {
    return new Waiting(this, what, true);
  }

  /** Shows a wait, or ends it with an empty text; {@code due}: whether to write a line. */
  synchronized void waiting(String text, boolean due) {
    wait = text;
    if (terminal) {
      show();
    } else if (due && state.isEmpty()) {
      err.println(text);
      err.flush();
    }
  }

  /** Writes one or several lines. */
  public synchronized void line(String text) {
    clear();
    out.println(text);
    out.flush();
    lastOutput = nanos.getAsLong();
  }

  /** Writes a line, and shows no state any more: an interrupt ends the work. */
  public synchronized void end(String text) {
    ended = true;
    line(text);
  }

  /** Shows the current state; an empty text clears it. */
  public synchronized void status(String text) {
    if (!text.equals(state)) {
      state = text;
      stateSince = nanos.getAsLong();
    }
    show();
  }

  /**
   * Sets the steps of the work: shows them as a bar with the time that is left, until they are all
   * done.
   *
   * @param done steps done; fewer than before for new work
   * @param total number of steps, each about as long as the others; 0 for work without steps
   */
  public synchronized void steps(long done, long total) {
    end = 0;
    if (done < this.done || total != this.total) {
      firstStep = nanos.getAsLong();
    }
    if (done != this.done) {
      lastStep = nanos.getAsLong();
    }
    this.done = done;
    this.total = total;
    show();
  }

  /**
   * Shows the part of the work that is done, and when the rest is done as the work estimates it.
   *
   * @param percent the part
   * @param left the time for the rest; empty if it cannot be estimated, or nothing is left
   */
  public synchronized void left(int percent, Optional<Duration> left) {
    done = percent;
    total = left.isPresent() ? 100 : 0;
    end = left.map(duration -> nanos.getAsLong() + duration.toNanos()).orElse(0L);
    show();
  }

  /** Updates what the time changes; called once a second. */
  synchronized void tick() {
    if (terminal) {
      show();
    } else if (!ended && !state.isEmpty() && nanos.getAsLong() - lastOutput >= SILENCE_NANOS) {
      line(text());
    }
  }

  @GuardedBy("this")
  private void show() {
    String all = !terminal || ended ? "" : state.isEmpty() ? wait : text();
    String text = all.length() <= WIDTH ? all : all.substring(0, WIDTH);
    if (!text.equals(shown)) {
      clear();
      out.print(text);
      out.flush();
      shown = text;
    }
  }

  @GuardedBy("this")
  private String text() {
    long now = nanos.getAsLong();
    long seconds = Duration.ofNanos(now - stateSince).toSeconds();
    String text = state + (seconds < 1 ? "" : " (" + seconds + " s)");
    if (done >= total) {
      return text;
    }
    int filled = (int) (BAR * done / total);
    String bar = "[" + "#".repeat(filled) + ".".repeat(BAR - filled) + "] ";
    return (terminal ? bar : 100 * done / total + " %: ") + left(now).orElse("") + text;
  }

  /** Returns how long the remaining steps take: as estimated, or as long as the first ones. */
  @GuardedBy("this")
  private Optional<String> left(long now) {
    if (done == 0 && end == 0) {
      return Optional.empty();
    }
    Duration left =
        Duration.ofNanos(
            end == 0
                ? (lastStep - firstStep) / done * (total - done) - (now - lastStep)
                : end - now);
    return left.toSeconds() <= 0
        ? Optional.empty()
        : Optional.of("about " + Figures.duration(left) + " left, ");
  }

  @GuardedBy("this")
  private void clear() {
    if (!shown.isEmpty()) {
      out.print("\r" + " ".repeat(WIDTH) + "\r");
      out.flush();
      shown = "";
    }
  }
}
