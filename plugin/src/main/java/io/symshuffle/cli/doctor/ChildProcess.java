// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process of this Java and this class path, for what may end the process that does it: a driver
 * that crashes, a library that calls exit, a start that hangs.
 */
final class ChildProcess {
  private static final int LINES_KEPT = 400;

  private final Duration limit;

  /**
   * Sets the limit.
   *
   * @param limit after which a child and its own children are ended
   */
  ChildProcess(Duration limit) {
    this.limit = limit;
  }

  /** Runs a main class of ours. */
  ChildOutcome runJava(String main, List<String> arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dslf4j.internal.verbosity=ERROR",
                "-cp",
                System.getProperty("java.class.path"),
                main));
    command.addAll(arguments);
    return run(command);
  }

  /** Runs a command; its two outputs come as one. */
  ChildOutcome run(List<String> command) {
    Deque<String> lines = new ArrayDeque<>();
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return new ChildOutcome(-1, false, List.of(String.valueOf(e.getMessage())));
    }
    Thread reader = Thread.ofPlatform().daemon().start(() -> read(process, lines));
    boolean ended = false;
    try {
      process.getOutputStream().close();
      ended = process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (ended) {
        reader.join(TimeUnit.SECONDS.toMillis(2));
      }
    } catch (IOException e) {
      // It did not want any input.
      ended = false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    synchronized (lines) {
      return new ChildOutcome(ended ? process.exitValue() : 137, !ended, List.copyOf(lines));
    }
  }

  private static void read(Process process, Deque<String> lines) {
    try (BufferedReader text =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = text.readLine(); line != null; line = text.readLine()) {
        synchronized (lines) {
          lines.add(line);
          if (lines.size() > LINES_KEPT) {
            lines.removeFirst();
          }
        }
      }
    } catch (IOException e) {
      synchronized (lines) {
        lines.add("its output ended early: " + e.getMessage());
      }
    }
  }
}
