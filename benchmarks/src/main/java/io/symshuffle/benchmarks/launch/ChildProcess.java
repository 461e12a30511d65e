// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A process that this JVM started, with its output in a log file. It does not outlive this JVM:
 * when the JVM ends, including by Ctrl-C, all of its child processes are ended together with their
 * descendants. Thread-safe.
 */
final class ChildProcess implements AutoCloseable {
  private static final Duration TIME_TO_END = Duration.ofSeconds(10);
  private static final Duration TIME_TO_DIE = Duration.ofSeconds(2);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Set<Process> RUNNING = ConcurrentHashMap.newKeySet();
  private static volatile boolean ending;

  static {
    Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(ChildProcess::endAll));
  }

  private final Process process;
  private final Path log;

  private ChildProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  /**
   * Starts a process without standard input.
   *
   * @param command program and arguments
   * @param environment variables in addition to the inherited ones
   * @param folder working directory
   * @param log file for standard output and standard error, created or replaced
   */
  static ChildProcess start(
      List<String> command, Map<String, String> environment, Path folder, Path log)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    ChildProcess started = new ChildProcess(builder.start(), log);
    RUNNING.add(started.process);
    if (ending) {
      started.close();
    }
    started.process.getOutputStream().close();
    return started;
  }

  /** Whether this JVM is shutting down, so that the end of a child process is expected. */
  static boolean isJvmEnding() {
    return ending;
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  Path log() {
    return log;
  }

  /** Waits for the end of the process; returns its exit status, or empty if it still runs. */
  OptionalInt awaitEnd(Duration limit) {
    try {
      return process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)
          ? OptionalInt.of(process.exitValue())
          : OptionalInt.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return OptionalInt.empty();
    }
  }

  /**
   * Waits until the log contains the pattern.
   *
   * @return the first match; empty if the process ends or the limit passes before there is one
   */
  Optional<Matcher> awaitOutput(Pattern pattern, Duration limit) throws IOException {
    long deadline = System.nanoTime() + limit.toNanos();
    boolean waiting = true;
    while (true) {
      boolean last = !waiting || !isAlive() || System.nanoTime() >= deadline;
      Matcher found = pattern.matcher(Files.readString(log));
      if (found.find()) {
        return Optional.of(found);
      }
      if (last) {
        return Optional.empty();
      }
      waiting = pause();
    }
  }

  /** Ends the process and its descendants: with SIGTERM, and after 10 seconds with SIGKILL. */
  @Override
  public void close() {
    end(List.of(process));
  }

  private static void endAll() {
    ending = true;
    end(List.copyOf(RUNNING));
  }

  private static void end(List<Process> processes) {
    // Collected repeatedly while the parents live: a local cluster that shuts down may still
    // replace executors, and descendants cannot be found once their parent is gone.
    Set<ProcessHandle> family = new HashSet<>();
    processes.forEach(process -> process.descendants().forEach(family::add));
    processes.forEach(Process::destroy);
    long deadline = System.nanoTime() + TIME_TO_END.toNanos();
    boolean alive = true;
    while (alive && System.nanoTime() < deadline && pause()) {
      processes.forEach(process -> process.descendants().forEach(family::add));
      alive = processes.stream().anyMatch(Process::isAlive);
    }
    processes.forEach(process -> family.add(process.toHandle()));
    family.forEach(ProcessHandle::destroyForcibly);
    while (family.stream().anyMatch(ProcessHandle::isAlive)
        && System.nanoTime() < deadline + TIME_TO_DIE.toNanos()
        && pause()) {
      // Killed processes disappear almost immediately.
    }
    processes.forEach(RUNNING::remove);
  }

  /** Returns false if the thread was interrupted. */
  private static boolean pause() {
    try {
      Thread.sleep(PAUSE);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
