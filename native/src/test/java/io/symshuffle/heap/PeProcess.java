// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import io.symshuffle.process.ChildProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The process of a PE, with the same Java and class path as this process. It reads steps as lines
 * from its standard input and answers each with a line that starts with {@link PeMain#DONE} or
 * {@link PeMain#FAILED}.
 */
public final class PeProcess implements AutoCloseable {
  private static final long POLL_MILLIS = 50;

  private final int pe;
  private final ChildProcess process;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  /**
   * Starts a process.
   *
   * @param pe the number of the PE, for messages
   * @param main main class
   * @param arguments arguments of the main class
   */
  public PeProcess(int pe, Class<?> main, List<String> arguments) {
    this(pe, main, arguments, List.of());
  }

  /**
   * Starts a process through a command, such as {@code unshare}.
   *
   * @param pe the number of the PE, for messages
   * @param main main class
   * @param arguments arguments of the main class
   * @param wrapper the command, which gets that of the process as its last arguments
   */
  public PeProcess(int pe, Class<?> main, List<String> arguments, List<String> wrapper) {
    this.pe = pe;
    this.process =
        ChildProcess.java(
                List.of(
                    "--enable-native-access=ALL-UNNAMED",
                    "-Xmx256m",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    // Some tests let a process crash.
                    "-XX:-CreateCoredumpOnCrash",
                    "-XX:ErrorFile=target/hs_err_%p.log"),
                main.getName(),
                arguments)
            .through(wrapper)
            .name("PE " + pe)
            .onLine(this::receive)
            .start();
  }

  private void receive(String line) {
    if (line.startsWith(PeMain.DONE) || line.startsWith(PeMain.FAILED)) {
      answers.add(line);
    }
  }

  /** Sends a step. */
  public void send(String step) {
    process.send(step);
  }

  /** Returns the answer to a step, or a sentence that says why there is none. */
  public String answer(long deadlineNanos) throws InterruptedException {
    while (true) {
      boolean ended = !process.isAlive();
      String answer = answers.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
      if (answer != null) {
        return answer;
      }
      if (ended) {
        return process + " did not answer";
      }
      if (System.nanoTime() - deadlineNanos >= 0) {
        return "no answer in time";
      }
    }
  }

  /** Returns all output so far, each line with the number of the PE. */
  public String output() {
    return process
        .output()
        .lines()
        .map(line -> "PE " + pe + ": " + line + "\n")
        .reduce("", String::concat);
  }

  /** Returns the process id. */
  public long pid() {
    return process.pid();
  }

  /** Waits until the process ends by itself; returns false if it does not end in time. */
  public boolean awaitEnd(long deadlineNanos) {
    return process.endsWithin(Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime())));
  }

  /** Kills the process with SIGKILL and waits until it is gone. */
  public void kill() {
    process.kill();
  }

  @Override
  public void close() {
    process.close();
  }
}
