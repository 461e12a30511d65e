// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.process;

import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A process that a test starts. {@link #close()}, a missed deadline and the end of this JVM kill it
 * together with all processes below it. Standard output and standard error go to one log file, and
 * every failure shows the end of that file.
 *
 * <p>All methods may be called from any thread.
 */
public final class ChildProcess implements AutoCloseable {
  private static final int TAIL_CHARACTERS = 4_000;
  private static final Duration KILL_LIMIT = Duration.ofSeconds(30);
  private static final long POLL_MILLIS = 20;
  private static final Set<ChildProcess> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> RUNNING.forEach(ChildProcess::killTree), "child-process-reaper"));
  }

  private final String name;
  private final Process process;
  private final Path log;
  private final boolean keepsLog;

  private ChildProcess(String name, Process process, Path log, boolean keepsLog) {
    this.name = name;
    this.process = process;
    this.log = log;
    this.keepsLog = keepsLog;
  }

  /**
   * The end of a process.
   *
   * @param status exit status; 128 plus the signal's number after a signal
   * @param output standard output and standard error
   */
  public record Result(int status, String output) {}

  /** What to start, and how. Every setting has a default. */
  public static final class Builder {
    private List<String> command;
    private final Map<String, String> environment = new HashMap<>();
    private String name;
    private String droppedPrefix;
    private Path folder;
    private Path log;
    private String input;
    private Consumer<String> lines;

    private Builder(List<String> command) {
      this.command = List.copyOf(command);
      this.name = command.getFirst();
    }

    /** Sets the name for messages. Default: the program. */
    public Builder name(String value) {
      this.name = requireNonNull(value, "name is null");
      return this;
    }

    /** Starts the command through another one, which gets it as its last arguments. */
    public Builder through(List<String> wrapper) {
      List<String> whole = new ArrayList<>(wrapper);
      whole.addAll(command);
      this.command = List.copyOf(whole);
      return this;
    }

    /** Sets the working directory. Default: that of this process. */
    public Builder folder(Path value) {
      this.folder = requireNonNull(value, "folder is null");
      return this;
    }

    /** Adds environment variables to the inherited ones. */
    public Builder environment(Map<String, String> values) {
      environment.putAll(values);
      return this;
    }

    /** Does not pass on the inherited environment variables whose names start with this prefix. */
    public Builder withoutEnvironment(String prefix) {
      this.droppedPrefix = requireNonNull(prefix, "prefix is null");
      return this;
    }

    /**
     * Sets the file for standard output and standard error; its folder is created. The file is
     * kept. Default: a temporary file that {@link ChildProcess#close()} deletes.
     */
    public Builder log(Path value) {
      this.log = requireNonNull(value, "log is null");
      return this;
    }

    /** Sets the whole standard input. Default: what {@link ChildProcess#send(String)} writes. */
    public Builder input(String value) {
      this.input = requireNonNull(value, "input is null");
      return this;
    }

    /**
     * Passes each line of output to a consumer, on a thread of the process, in addition to writing
     * it to the log.
     */
    public Builder onLine(Consumer<String> value) {
      this.lines = requireNonNull(value, "lines is null");
      return this;
    }

    /**
     * Starts the process.
     *
     * @throws UncheckedIOException when the program cannot be started
     */
    public ChildProcess start() {
      try {
        Path file = log == null ? Files.createTempFile("child-process", ".log") : log;
        Files.createDirectories(file.toAbsolutePath().getParent());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        if (folder != null) {
          builder.directory(folder.toFile());
        }
        if (droppedPrefix != null) {
          builder.environment().keySet().removeIf(key -> key.startsWith(droppedPrefix));
        }
        builder.environment().putAll(environment);
        if (lines == null) {
          builder.redirectOutput(file.toFile());
        }
        ChildProcess started = new ChildProcess(name, builder.start(), file, log != null);
        RUNNING.add(started);
        if (lines != null) {
          Consumer<String> consumer = lines;
          Thread.ofPlatform()
              .daemon()
              .name("output of " + name)
              .start(() -> started.copyLines(consumer));
        }
        if (input != null) {
          started.sendAll(input);
        }
        return started;
      } catch (IOException e) {
        throw new UncheckedIOException(
            "%s did not start: %s".formatted(name, String.join(" ", command)), e);
      }
    }

    /**
     * Runs the process to its end.
     *
     * @throws UncheckedIOException when the program cannot be started
     * @throws AssertionError when it still runs after the limit; it is killed
     */
    public Result run(Duration limit) {
      if (input == null) {
        input = "";
      }
      try (ChildProcess started = start()) {
        int status = started.awaitEnd(limit);
        return new Result(status, started.output());
      }
    }
  }

  /** Describes a process by its program and arguments. */
  public static Builder of(List<String> command) {
    return new Builder(command);
  }

  /** As {@link #of(List)}. */
  public static Builder of(String... command) {
    return new Builder(Arrays.asList(command));
  }

  /**
   * Describes a process of this Java with the class path of this process.
   *
   * @param options of the JVM
   * @param main name of the main class
   * @param arguments of the main class
   */
  public static Builder java(List<String> options, String main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
    command.addAll(arguments);
    return new Builder(command).name(main);
  }

  /** {@return the process id} */
  public long pid() {
    return process.pid();
  }

  /** {@return the process and, through it, its descendants} */
  public ProcessHandle handle() {
    return process.toHandle();
  }

  /** {@return whether the process runs} */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** {@return the file with standard output and standard error} */
  public Path log() {
    return log;
  }

  /** {@return all output so far} */
  public String output() {
    try {
      return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("output of " + name, e);
    }
  }

  /**
   * Writes a line to standard input.
   *
   * @throws AssertionError when the process does not read it
   */
  public void send(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new AssertionError("%s does not read '%s'%s".formatted(this, line, tail()), e);
    }
  }

  private void sendAll(String text) throws IOException {
    try (var stream = process.getOutputStream()) {
      stream.write(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      // A program that exits early does not read all of its input. Its exit status shows whether it
      // failed.
      if (!Set.of("Broken pipe", "Stream closed").contains(String.valueOf(e.getMessage()))) {
        throw e;
      }
    }
  }

  /**
   * Waits until the output contains a pattern.
   *
   * @return the first match
   * @throws AssertionError when the process ends, or the limit passes, before a match
   */
  public Matcher awaitOutput(Pattern pattern, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      boolean over = System.nanoTime() - deadline >= 0 || !isAlive();
      Matcher matcher = pattern.matcher(output());
      if (matcher.find()) {
        return matcher;
      }
      if (over) {
        throw new AssertionError(
            "%s did not print '%s' within %s%s".formatted(this, pattern, limit, tail()));
      }
      waitFor(POLL_MILLIS);
    }
  }

  /**
   * Waits until the process ends.
   *
   * @return the exit status
   * @throws AssertionError when it still runs after the limit; it is killed with its descendants
   */
  public int awaitEnd(Duration limit) {
    if (!waitFor(limit.toMillis())) {
      killTree();
      throw new AssertionError("%s still ran after %s%s".formatted(this, limit, tail()));
    }
    RUNNING.remove(this);
    return process.exitValue();
  }

  /** Waits until the process ends; returns false when it still runs after the limit. */
  public boolean endsWithin(Duration limit) {
    return waitFor(limit.toMillis());
  }

  private boolean waitFor(long millis) {
    try {
      return process.waitFor(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for " + this, e);
    }
  }

  /**
   * Sends a signal to this process only.
   *
   * @param signal its name, such as {@code STOP}, {@code CONT} or {@code INT}
   */
  public void signal(String signal) {
    Result result = of("kill", "-" + signal, Long.toString(pid())).run(Duration.ofSeconds(10));
    if (result.status() != 0) {
      throw new AssertionError(
          "kill -%s of %s failed: %s".formatted(signal, this, result.output()));
    }
  }

  /** Kills only this process, with SIGKILL, and waits until it has exited. */
  public void kill() {
    process.destroyForcibly();
    awaitKilled();
  }

  /** Kills this process and its descendants with SIGKILL, and waits until this one has exited. */
  public void killTree() {
    try (Stream<ProcessHandle> below = process.descendants()) {
      List<ProcessHandle> tree = below.toList();
      process.destroyForcibly();
      tree.forEach(ProcessHandle::destroyForcibly);
    }
    awaitKilled();
  }

  private void awaitKilled() {
    boolean interrupted = Thread.interrupted();
    try {
      if (!process.waitFor(KILL_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError("%s survived SIGKILL for %s".formatted(this, KILL_LIMIT));
      }
      RUNNING.remove(this);
    } catch (InterruptedException ignored) {
      interrupted = true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Kills this process and its descendants, and deletes the log unless a test named it. */
  @Override
  public void close() {
    killTree();
    if (!keepsLog) {
      try {
        Files.deleteIfExists(log);
      } catch (IOException e) {
        throw new UncheckedIOException("log of " + name, e);
      }
    }
  }

  /** {@return the name, the process id, and whether it runs or how it ended} */
  @Override
  public String toString() {
    return "%s (process %d, %s)"
        .formatted(name, pid(), isAlive() ? "running" : "ended with " + process.exitValue());
  }

  private String tail() {
    String all = output();
    String end = all.substring(Math.max(0, all.length() - TAIL_CHARACTERS));
    return "; the end of its output:\n" + end;
  }

  private void copyLines(Consumer<String> consumer) {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
        BufferedWriter writer = Files.newBufferedWriter(log)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        writer.write(line);
        writer.newLine();
        writer.flush();
        consumer.accept(line);
      }
    } catch (IOException e) {
      consumer.accept("the output of %s cannot be read: %s".formatted(this, e));
    }
  }
}
