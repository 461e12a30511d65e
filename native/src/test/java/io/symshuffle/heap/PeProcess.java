// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A process of a PE, on the Java and the class path of this one. It takes steps as lines of its
 * input and answers each with a line that starts with {@link PeMain#DONE} or {@link PeMain#FAILED}.
 */
public final class PeProcess implements AutoCloseable {
  private final int pe;
  private final Process process;
  private final Queue<String> output = new ConcurrentLinkedQueue<>();
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();

  /**
   * Starts a process.
   *
   * @param pe its number, for messages
   * @param main its main class
   * @param arguments the main class's arguments
   */
  public PeProcess(int pe, Class<?> main, List<String> arguments) throws IOException {
    this.pe = pe;
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(arguments);
    this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Thread.ofPlatform().daemon().name("output of PE " + pe).start(this::read);
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        output.add("PE " + pe + ": " + line + "\n");
        if (line.startsWith(PeMain.DONE) || line.startsWith(PeMain.FAILED)) {
          answers.add(line);
        }
      }
      answers.add("its output ended");
    } catch (IOException e) {
      answers.add("its output cannot be read: " + e);
    }
  }

  /** Sends a step. */
  public void send(String step) {
    try {
      process.getOutputStream().write((step + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "PE " + pe + " takes no steps; its output was\n" + output(), e);
    }
  }

  /** The answer to a step; a sentence when there is none in time. */
  public String answer(long deadlineNanos) throws InterruptedException {
    String answer = answers.poll(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
    return answer == null ? "no answer in time" : answer;
  }

  /** All that it printed so far. */
  public String output() {
    return String.join("", output);
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  /** Waits until it has ended by itself; false when it has not in time. */
  public boolean awaitEnd(long deadlineNanos) throws InterruptedException {
    return process.waitFor(deadlineNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
  }

  /** Kills it with SIGKILL and waits until it is gone. */
  public void kill() {
    process.destroyForcibly();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("PE " + pe + " survived SIGKILL for 30 seconds");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    kill();
  }
}
