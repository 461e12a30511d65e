// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.process;

import static java.util.Objects.requireNonNull;

import io.symshuffle.it.wait.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A process that never outlives the test's JVM: its output goes to one file, and {@link #close()}
 * or the JVM's end kills it with everything that it started.
 */
public final class ManagedProcess implements AutoCloseable {
  private static final Set<ManagedProcess> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> RUNNING.forEach(ManagedProcess::killTree), "it-process-reaper"));
  }

  private final String name;
  private final Process process;
  private final Path log;

  private ManagedProcess(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a process.
   *
   * @param name for messages
   * @param command program and arguments
   * @param environment variables beside the inherited ones, of which Spark's are dropped
   * @param log file for standard output and error; its folder is made
   * @return the running process
   */
  public static ManagedProcess start(
      String name, List<String> command, Map<String, String> environment, Path log) {
    requireNonNull(name, "name is null");
    try {
      Files.createDirectories(log.toAbsolutePath().getParent());
      ProcessBuilder builder =
          new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
      builder.environment().keySet().removeIf(key -> key.startsWith("SPARK_"));
      builder.environment().putAll(environment);
      ManagedProcess started = new ManagedProcess(name, builder.start(), log);
      RUNNING.add(started);
      return started;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "process %s did not start: %s".formatted(name, String.join(" ", command)), e);
    }
  }

  /** {@return the process id} */
  public long pid() {
    return process.pid();
  }

  /** {@return whether the process runs} */
  public boolean isAlive() {
    return process.isAlive();
  }

  /** {@return the file with standard output and error} */
  public Path logFile() {
    return log;
  }

  /** {@return what the process wrote until now} */
  public String log() {
    try {
      return new String(Files.readAllBytes(log), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("log of process %s".formatted(name), e);
    }
  }

  /**
   * Waits until the log holds the pattern.
   *
   * @param pattern looked for in the whole log
   * @param limit how long to wait at most
   * @return the first match
   * @throws AssertionError with the log's end if the process ends or the limit passes before
   */
  public Matcher awaitLog(Pattern pattern, Duration limit) {
    Optional<Matcher>[] found = newSlot();
    Await.holdsWithin(
        limit,
        () -> {
          boolean alive = isAlive();
          found[0] = find(pattern);
          return found[0].isPresent() || !alive;
        });
    return found[0].orElseThrow(
        () ->
            new AssertionError(
                "process %s (%s) did not log '%s' within %d ms; the end of %s:%n%s"
                    .formatted(
                        name,
                        isAlive() ? "alive" : "ended with " + process.exitValue(),
                        pattern,
                        limit.toMillis(),
                        log,
                        tail())));
  }

  /**
   * Waits for the end.
   *
   * @param limit how long to wait at most
   * @return the exit code
   * @throws AssertionError with the log's end if it still runs after the limit
   */
  public int awaitExit(Duration limit) {
    try {
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError(
            "process %s still runs after %d ms; the end of %s:%n%s"
                .formatted(name, limit.toMillis(), log, tail()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while waiting for process " + name, e);
    }
    RUNNING.remove(this);
    return process.exitValue();
  }

  /** SIGKILL to this process alone; what it started lives on. */
  public void kill() {
    process.destroyForcibly();
    awaitExit(Duration.ofSeconds(10));
  }

  /** SIGKILL to this process and to everything below it. */
  public void killTree() {
    try (Stream<ProcessHandle> below = process.descendants()) {
      List<ProcessHandle> tree = below.toList();
      process.destroyForcibly();
      tree.forEach(ProcessHandle::destroyForcibly);
    }
    RUNNING.remove(this);
  }

  /** As {@link #killTree()}. */
  @Override
  public void close() {
    killTree();
  }

  @Override
  public String toString() {
    return "%s (process %d, log %s)".formatted(name, pid(), log);
  }

  private Optional<Matcher> find(Pattern pattern) {
    Matcher matcher = pattern.matcher(log());
    return matcher.find() ? Optional.of(matcher) : Optional.empty();
  }

  private String tail() {
    String all = log();
    return all.substring(Math.max(0, all.length() - 4000));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Optional<Matcher>[] newSlot() {
    return new Optional[] {Optional.empty()};
  }
}
