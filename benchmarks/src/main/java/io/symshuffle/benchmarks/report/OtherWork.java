// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What other programs do on this machine while jobs are timed, from Linux's counters of CPU time.
 * Used by one thread.
 */
public final class OtherWork {
  /** Ticks of the counters in a second, on all architectures of Linux that Java supports. */
  private static final double TICKS = 100;

  /** Above this share of the machine's CPU time others slow down what is timed. */
  private static final double MUCH = 0.1;

  private Counters before;
  private double all;
  private double others;

  /** CPU seconds so far: of the machine with and without its idle time, and of our processes. */
  record Counters(double all, double busy, double own) {}

  /** Begins a period in which none of our processes ends. */
  public void begin() {
    before = now();
  }

  /** Ends the period. */
  public void end() {
    add(before, now());
  }

  void add(Counters from, Counters to) {
    all += to.all() - from.all();
    others += Math.max(0, to.busy() - from.busy() - (to.own() - from.own()));
  }

  private static Counters now() {
    double own =
        Stream.concat(Stream.of(ProcessHandle.current()), ProcessHandle.current().descendants())
            .map(process -> process.info().totalCpuDuration().orElse(Duration.ZERO))
            .mapToDouble(time -> time.toNanos() / 1e9)
            .sum();
    try {
      // cpu, user, nice, system, idle, iowait, irq, softirq, steal
      String[] line = Files.readAllLines(Path.of("/proc/stat")).getFirst().split(" +");
      double[] times = Arrays.stream(line, 1, 9).mapToDouble(Double::parseDouble).toArray();
      double sum = Arrays.stream(times).sum();
      return new Counters(sum / TICKS, (sum - times[3] - times[4]) / TICKS, own);
    } catch (IOException e) {
      return new Counters(0, 0, own);
    }
  }

  /** Says that the machine was busy, and what that does to the numbers; empty if it was not. */
  public String sentence() {
    return others <= MUCH * all
        ? ""
        : String.format(
            Locale.ROOT,
            "The machine is busy: other programs used %.0f %% of its CPU time. Times are longer"
                + " than on an idle machine and scatter more, so gains may not show: repeat this on"
                + " an idle one.",
            100 * others / all);
  }
}
