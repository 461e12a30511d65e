// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.cli.Terminal;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
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

  @GuardedBy("this")
  private String shown = "";

  @GuardedBy("this")
  private boolean ended;

  /**
   * Creates a console whose state changes only when it is told to.
   *
   * @param out receives results and the state
   * @param terminal whether {@code out} is a terminal
   */
  public Console(PrintWriter out, boolean terminal) {
    this(out, terminal, System::nanoTime);
  }

  /**
   * The same with another clock.
   *
   * @param nanos a clock, in nanoseconds
   */
  Console(PrintWriter out, boolean terminal, LongSupplier nanos) {
    this.out = out;
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
    Console console = new Console(command.getOut(), Terminal.here().isTerminal());
    var unused =
        Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("console").factory())
            .scheduleWithFixedDelay(console::tick, 1, 1, TimeUnit.SECONDS);
    return console;
  }

  /** A wait that is shown until it is closed. */
  public interface Waiting extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * Shows a wait as the current state, unless there is another one.
   *
   * @param what the end of a sentence that begins with "waiting for"
   */
  public synchronized Waiting waiting(String what) {
    if (!state.isEmpty()) {
      return () -> {};
    }
    status("waiting for " + what);
    return () -> status("");
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
    String all = !terminal || ended || state.isEmpty() ? "" : text();
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

  /** Returns how long the remaining steps take, if each takes as long as the first ones. */
  @GuardedBy("this")
  private Optional<String> left(long now) {
    if (done == 0) {
      return Optional.empty();
    }
    Duration left =
        Duration.ofNanos((lastStep - firstStep) / done * (total - done) - (now - lastStep));
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
