// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.process;

import static java.time.Duration.ZERO;
import static java.util.Comparator.naturalOrder;

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
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A child process. Standard output and standard error go to one log file, and every failure shows
 * the end of that file. {@link #close()}, a missed deadline and the end of this JVM, also by
 * Ctrl-C, end the process together with all processes below it.
 *
 * <p>All methods may be called from any thread. A thread that is interrupted while it waits
 * continues as if the limit had passed, and remains interrupted.
 */
public final class ChildProcess implements AutoCloseable {
  private static final int TAIL_CHARACTERS = 4_000;
  private static final Duration TIME_TO_DIE = Duration.ofSeconds(10);
  private static final Duration MAX_ORPHAN_DELAY = Duration.ofSeconds(2);
  private static final Duration MAX_OUTPUT_DELAY = Duration.ofSeconds(2);
  private static final Duration PAUSE = Duration.ofMillis(20);

  /** The first Java version that warns about {@code sun.misc.Unsafe}, which Spark uses. */
  private static final int UNSAFE_OPTION_SINCE = 23;

  private final Builder spec;
  private final String name;
  private final Process process;
  private final Path log;
  private final TerminationHook hook = new TerminationHook(this::close);
  private Thread reader;

  private ChildProcess(Builder spec, Process process, Path log) {
    this.spec = spec;
    this.name = spec.name;
    this.process = process;
    this.log = log;
  }

  /**
   * The end of a process.
   *
   * @param status exit status; 128 plus the signal's number after a signal; -1 if the process could
   *     not be started
   * @param timedOut whether it was killed because it ran out of time
   * @param output standard output and standard error; the reason if it could not be started
   */
  public record Result(int status, boolean timedOut, String output) {
    /** Returns whether it ended in time with exit status 0. */
    public boolean passed() {
      return status == 0 && !timedOut;
    }

    /** Returns the lines of the output. */
    public List<String> lines() {
      return output.lines().toList();
    }

    /** Returns how it ended, as a predicate such as "crashed (status 139)". */
    public String ending() {
      if (timedOut) {
        return "did not finish in time and was killed";
      }
      return switch (status) {
        case -1 -> "could not be started";
        case 134 -> "was aborted (status 134)";
        case 137 -> "was killed (status 137)";
        case 139 -> "crashed (status 139)";
        default -> "ended with status " + status;
      };
    }
  }

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
    private IntConsumer exit = status -> {};
    private Duration timeToEnd = Duration.ZERO;
    private Duration silence;
    private Runnable notice;

    private Builder(List<String> command) {
      this.command = List.copyOf(command);
      this.name = command.getFirst();
    }

    /** Sets the name for messages. Default: the program. */
    public Builder name(String value) {
      this.name = value;
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
      this.folder = value;
      return this;
    }

    /** Adds environment variables to the inherited ones. */
    public Builder environment(Map<String, String> values) {
      environment.putAll(values);
      return this;
    }

    /** Does not pass on the inherited environment variables whose names start with this prefix. */
    public Builder withoutEnvironment(String prefix) {
      this.droppedPrefix = prefix;
      return this;
    }

    /**
     * Sets the file for standard output and standard error; its folder is created. The file is
     * kept. Default: a temporary file that {@link ChildProcess#close()} deletes.
     */
    public Builder log(Path value) {
      this.log = value;
      return this;
    }

    /** Sets the whole standard input. Default: what {@link ChildProcess#send(String)} writes. */
    public Builder input(String value) {
      this.input = value;
      return this;
    }

    /**
     * Passes each line of output to a consumer, on a thread of the process, in addition to writing
     * it to the log.
     */
    public Builder onLine(Consumer<String> value) {
      this.lines = value;
      return this;
    }

    /**
     * Passes the exit status to a consumer after the last line of {@link #onLine}, on the same
     * thread.
     */
    public Builder onExit(IntConsumer value) {
      this.exit = value;
      return this;
    }

    /**
     * Sets how long the process may take to end after SIGTERM before {@link ChildProcess#close()}
     * sends SIGKILL. Default: SIGKILL at once.
     */
    public Builder timeToEnd(Duration value) {
      this.timeToEnd = value;
      return this;
    }

    /**
     * Runs an action once if {@link #tryRun} takes longer than this. Default: none.
     *
     * @param after how long to wait
     * @param action tells the user what this waits for
     */
    public Builder notice(Duration after, Runnable action) {
      this.silence = after;
      this.notice = action;
      return this;
    }

    /**
     * Starts the process. If this JVM is ending, the process is ended at once.
     *
     * @throws UncheckedIOException when the program cannot be started
     */
    public ChildProcess start() {
      ChildProcess started = begin();
      if (!started.hook.isRegistered()) {
        started.end();
      }
      return started;
    }

    private ChildProcess begin() {
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
        ChildProcess started;
        try {
          started = new ChildProcess(this, builder.start(), file);
        } catch (IOException e) {
          if (log == null) {
            Files.delete(file);
          }
          throw e;
        }
        if (lines != null) {
          started.reader =
              Thread.ofPlatform().daemon().name("output of " + name).start(started::copyLines);
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
     * Runs the process to its end, also while this JVM is ending.
     *
     * @throws UncheckedIOException when the program cannot be started
     * @throws IllegalStateException when it still runs after the limit; it is ended
     */
    public Result run(Duration limit) {
      if (input == null) {
        input = "";
      }
      try (ChildProcess started = begin()) {
        int status = started.awaitEnd(limit);
        return new Result(status, false, started.output());
      }
    }

    /** As {@link #run}, but a failure to start and a missed deadline are results, too. */
    public Result tryRun(Duration limit) {
      if (input == null) {
        input = "";
      }
      try (ChildProcess started = begin()) {
        Duration left = limit;
        boolean ended = false;
        if (notice != null && silence.compareTo(limit) < 0) {
          ended = started.endsWithin(silence);
          left = limit.minus(silence);
          if (!ended) {
            notice.run();
          }
        }
        ended = ended || started.endsWithin(left);
        if (!ended) {
          started.end();
        }
        return new Result(ended ? started.exitStatus() : 137, !ended, started.output());
      } catch (UncheckedIOException e) {
        return new Result(-1, false, e.getMessage() + ": " + e.getCause().getMessage());
      }
    }
  }

  /** Returns the JVM options that allow access to native memory, as far as this Java knows them. */
  public static List<String> memoryAccess() {
    String nativeAccess = "--enable-native-access=ALL-UNNAMED";
    return Runtime.version().feature() >= UNSAFE_OPTION_SINCE
        ? List.of(nativeAccess, "--sun-misc-unsafe-memory-access=allow")
        : List.of(nativeAccess);
  }

  /**
   * Returns the command that runs a main class with the Java of this process and access to native
   * memory.
   */
  public static List<String> javaCommand(
      List<String> options, String classPath, String main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(memoryAccess());
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(arguments);
    return command;
  }

  /** Describes a process by its program and arguments. */
  public static Builder of(List<String> command) {
    return new Builder(command);
  }

  /** As {@link #of(List)}. */
  public static Builder of(String... command) {
    return new Builder(Arrays.asList(command));
  }

  /** Describes a process of {@link #javaCommand} with the class path of this process. */
  public static Builder java(List<String> options, String main, List<String> arguments) {
    return of(javaCommand(options, System.getProperty("java.class.path"), main, arguments))
        .name(main);
  }

  /** Returns the process id. */
  public long pid() {
    return process.pid();
  }

  /** Returns the process and, through it, its descendants. */
  public ProcessHandle handle() {
    return process.toHandle();
  }

  /** Returns whether the process runs. */
  public boolean isAlive() {
    return process.isAlive();
  }

  /**
   * Returns the exit status; 128 plus the signal's number after a signal.
   *
   * @throws IllegalThreadStateException when the process runs
   */
  public int exitStatus() {
    return process.exitValue();
  }

  /** Returns the file with standard output and standard error. */
  public Path log() {
    return log;
  }

  /** Returns all output so far. */
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
   * @throws UncheckedIOException when the process does not read it
   */
  public void send(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException("%s does not read '%s'%s".formatted(this, line, tail()), e);
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
   * @throws IllegalStateException when the process ends, or the limit passes, before a match
   */
  public Matcher awaitOutput(Pattern pattern, Duration limit) {
    return findOutput(pattern, limit)
        .orElseThrow(
            () ->
                new IllegalStateException(
                    "%s did not print '%s' within %s s%s"
                        .formatted(this, pattern, seconds(limit), tail())));
  }

  /**
   * Waits until the output contains a pattern.
   *
   * @return the first match; empty when the process ends, or the limit passes, before a match
   */
  public Optional<Matcher> findOutput(Pattern pattern, Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    boolean waiting = true;
    while (true) {
      boolean last = !waiting || System.nanoTime() - deadline >= 0 || !isAlive();
      Matcher matcher = pattern.matcher(output());
      if (matcher.find()) {
        return Optional.of(matcher);
      }
      if (last) {
        return Optional.empty();
      }
      waiting = pause();
    }
  }

  /**
   * Waits until the process ends.
   *
   * @throws IllegalStateException when it still runs after the limit; it is ended with its
   *     descendants
   */
  public int awaitEnd(Duration limit) {
    if (!endsWithin(limit)) {
      end();
      throw new IllegalStateException(
          "%s still ran after %s s%s".formatted(this, seconds(limit), tail()));
    }
    return process.exitValue();
  }

  /** Waits until the process ends; returns false when it still runs after the limit. */
  public boolean endsWithin(Duration limit) {
    try {
      if (!process.waitFor(limit.toNanos(), TimeUnit.NANOSECONDS)) {
        return false;
      }
      if (reader != null) {
        // A descendant that is still running may hold the output open.
        reader.join(MAX_OUTPUT_DELAY);
      }
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Sends a signal to this process only.
   *
   * @param signal its name, such as {@code STOP}, {@code CONT} or {@code INT}
   */
  public void signal(String signal) {
    Result result = of("kill", "-" + signal, Long.toString(pid())).run(Duration.ofSeconds(10));
    if (!result.passed()) {
      throw new IllegalStateException(
          "kill -%s of %s failed: %s".formatted(signal, this, result.output()));
    }
  }

  /**
   * Kills only this process, with SIGKILL, and waits until it has exited.
   *
   * @throws IllegalStateException when it still runs after 10 s
   */
  public void kill() {
    process.destroyForcibly();
    if (!endsWithin(TIME_TO_DIE)) {
      throw new IllegalStateException(
          "%s survived SIGKILL for %s s".formatted(this, seconds(TIME_TO_DIE)));
    }
  }

  /** Ends this process and its descendants, and deletes the log unless the caller named it. */
  @Override
  public void close() {
    closeAll(List.of(this));
  }

  /**
   * Ends processes and their descendants at the same time: with SIGTERM and, after the longest time
   * to end of them, with SIGKILL. Descendants that are left then have 2 s after a SIGTERM, if there
   * is a time to end. Returns when all have exited, at the latest 10 s later, or 2 s if only
   * descendants are left.
   */
  public static void closeAll(Collection<ChildProcess> children) {
    endAll(children);
    for (ChildProcess child : children) {
      child.hook.close();
      try {
        if (child.spec.log == null) {
          Files.deleteIfExists(child.log);
        }
      } catch (IOException e) {
        throw new UncheckedIOException("log of " + child.name, e);
      }
    }
  }

  private void end() {
    endAll(List.of(this));
  }

  private static void endAll(Collection<ChildProcess> children) {
    // Collected repeatedly while the parents live: a local cluster that shuts down may still
    // replace executors, and descendants cannot be found once their parent is gone.
    Set<ProcessHandle> family = new HashSet<>();
    children.forEach(child -> child.collect(family));
    Duration timeToEnd =
        children.stream().map(child -> child.spec.timeToEnd).max(naturalOrder()).orElse(ZERO);
    if (!timeToEnd.isZero()) {
      children.forEach(child -> child.process.destroy());
    }
    long deadline = System.nanoTime() + timeToEnd.toNanos();
    while (children.stream().anyMatch(ChildProcess::isAlive)
        && System.nanoTime() - deadline < 0
        && pause()) {
      children.forEach(child -> child.collect(family));
    }
    if (!timeToEnd.isZero()) {
      // Those that their parent has left behind may have to remove something, too.
      family.forEach(ProcessHandle::destroy);
      long asked = System.nanoTime();
      boolean goesOn = true;
      while (goesOn && isWaiting(asked, MAX_ORPHAN_DELAY, family.stream())) {
        goesOn = pause();
      }
    }
    family.forEach(ProcessHandle::destroyForcibly);
    // Killed processes disappear almost immediately, but not those that nobody collects.
    long killed = System.nanoTime();
    while (isWaiting(killed, TIME_TO_DIE, children.stream().map(child -> child.process.toHandle()))
        || isWaiting(killed, MAX_ORPHAN_DELAY, family.stream())) {
      if (!pause()) {
        return;
      }
    }
  }

  private static boolean isWaiting(long since, Duration limit, Stream<ProcessHandle> processes) {
    return System.nanoTime() - since < limit.toNanos()
        && processes.anyMatch(ProcessHandle::isAlive);
  }

  private void collect(Set<ProcessHandle> family) {
    family.add(process.toHandle());
    try (Stream<ProcessHandle> below = process.descendants()) {
      below.forEach(family::add);
    }
  }

  /** Returns false if the thread is interrupted. */
  private static boolean pause() {
    try {
      Thread.sleep(PAUSE);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Returns the name, the process id, and whether it runs or how it ended. */
  @Override
  public String toString() {
    return "%s (process %d, %s)"
        .formatted(name, pid(), isAlive() ? "running" : "ended with " + process.exitValue());
  }

  private static double seconds(Duration time) {
    return time.toMillis() / 1e3;
  }

  private String tail() {
    String all = output();
    String end = all.substring(Math.max(0, all.length() - TAIL_CHARACTERS));
    return "; the end of its output:\n" + end;
  }

  private void copyLines() {
    int status = -1;
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        BufferedWriter writer = Files.newBufferedWriter(log)) {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        writer.write(line);
        writer.newLine();
        writer.flush();
        spec.lines.accept(line);
      }
      status = process.waitFor();
    } catch (IOException e) {
      spec.lines.accept("the output of %s cannot be read: %s".formatted(this, e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    spec.exit.accept(status);
  }
}
