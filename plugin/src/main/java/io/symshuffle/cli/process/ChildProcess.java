// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.process;

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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * A running child process and the last lines of its output, standard output and standard error
 * together. Its standard input is empty. Closing it kills the process and its descendants.
 */
public final class ChildProcess implements AutoCloseable {
  private static final int MAX_LINES = 400;
  private static final long MAX_OUTPUT_DELAY_MILLIS = 2_000;

  /** The first Java version that warns about {@code sun.misc.Unsafe}, which Spark uses. */
  private static final int UNSAFE_OPTION_SINCE = 23;

  private final Process process;
  private final Thread reader;
  private final Deque<String> lines = new ArrayDeque<>();

  private ChildProcess(List<String> command, Consumer<String> onLine, IntConsumer onExit)
      throws IOException {
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    reader =
        Thread.ofPlatform()
            .daemon()
            .name("output of process " + process.pid())
            .start(() -> read(onLine, onExit));
  }

  /**
   * {@return the JVM options that allow access to native memory, as far as this Java knows them}
   */
  public static List<String> memoryAccess() {
    String nativeAccess = "--enable-native-access=ALL-UNNAMED";
    return Runtime.version().feature() >= UNSAFE_OPTION_SINCE
        ? List.of(nativeAccess, "--sun-misc-unsafe-memory-access=allow")
        : List.of(nativeAccess);
  }

  /**
   * {@return the command that runs a main class with the Java of this process}
   *
   * @param options of the JVM
   * @param classPath the class path
   * @param main the main class
   * @param arguments of the main class
   */
  public static List<String> java(
      List<String> options, String classPath, Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(memoryAccess());
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, main.getName()));
    command.addAll(arguments);
    return command;
  }

  /** {@return the same with the class path of this process} */
  public static List<String> java(List<String> options, Class<?> main, List<String> arguments) {
    return java(options, System.getProperty("java.class.path"), main, arguments);
  }

  /**
   * Starts a process.
   *
   * @param command the program and its arguments
   * @param onLine receives each line of output, on a dedicated thread
   * @param onExit receives the exit status after the last line, -1 if the output cannot be read
   * @return the process
   * @throws IOException if it cannot be started
   */
  public static ChildProcess start(
      List<String> command, Consumer<String> onLine, IntConsumer onExit) throws IOException {
    return new ChildProcess(command, onLine, onExit);
  }

  /**
   * Runs a process to its end. If this process is terminated, the child is terminated too.
   *
   * @param command the program and its arguments
   * @param limit how long it may run before it is killed
   * @return how it ended, also if it could not be started
   */
  public static ChildOutcome run(List<String> command, Duration limit) {
    return run(command, limit, limit, () -> {});
  }

  /**
   * As {@link #run(List, Duration)}, and says when it takes long.
   *
   * @param command the program and its arguments
   * @param limit how long it may run before it is killed
   * @param silence how long it may run before {@code notice} is called
   * @param notice called once if it runs longer
   * @return how it ended, also if it could not be started
   */
  public static ChildOutcome run(
      List<String> command, Duration limit, Duration silence, Runnable notice) {
    try (ChildProcess child = start(command, line -> {}, status -> {})) {
      TerminationHook hook = new TerminationHook(child.process::destroy);
      try {
        return child.await(limit, silence, notice);
      } finally {
        hook.close();
      }
    } catch (IOException e) {
      return new ChildOutcome(-1, false, List.of(String.valueOf(e.getMessage())));
    }
  }

  /**
   * Runs a process to its end with the standard streams of this process. If this process is
   * terminated, the child is terminated too.
   *
   * @param command the program and its arguments
   * @return its exit status
   * @throws IOException if it cannot be started
   * @throws InterruptedException if this thread is interrupted while it waits
   */
  public static int runAttached(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).inheritIO().start();
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(process::destroy));
    return process.waitFor();
  }

  private ChildOutcome await(Duration limit, Duration silence, Runnable notice) {
    boolean ended = false;
    try {
      Duration rest = limit;
      if (silence.compareTo(limit) < 0) {
        ended = process.waitFor(silence.toMillis(), TimeUnit.MILLISECONDS);
        if (!ended) {
          notice.run();
        }
        rest = limit.minus(silence);
      }
      ended = ended || process.waitFor(rest.toMillis(), TimeUnit.MILLISECONDS);
      if (ended) {
        // A descendant that is still running may hold the output open.
        reader.join(MAX_OUTPUT_DELAY_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return new ChildOutcome(ended ? process.exitValue() : 137, !ended, lines());
  }

  /** {@return the last lines of output so far} */
  public List<String> lines() {
    synchronized (lines) {
      return List.copyOf(lines);
    }
  }

  /** {@return a future that completes when the process has ended} */
  public CompletableFuture<?> end() {
    return process.onExit();
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private void read(Consumer<String> onLine, IntConsumer onExit) {
    int status = -1;
    try (BufferedReader text =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      process.getOutputStream().close();
      for (String line = text.readLine(); line != null; line = text.readLine()) {
        keep(line);
        onLine.accept(line);
      }
      status = process.waitFor();
    } catch (IOException e) {
      keep("The output ended early: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    onExit.accept(status);
  }

  private void keep(String line) {
    synchronized (lines) {
      lines.add(line);
      if (lines.size() > MAX_LINES) {
        lines.removeFirst();
      }
    }
  }
}
