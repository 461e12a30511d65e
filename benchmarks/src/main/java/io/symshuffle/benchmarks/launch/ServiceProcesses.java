// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.cli.CliException;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.launcher.JavaModuleOptions;

/** Long-lived Java processes with their logs in one folder, such as those of a Spark cluster. */
final class ServiceProcesses implements AutoCloseable {
  private static final Duration TIME_TO_START = Duration.ofMinutes(10);
  private static final Duration TIME_TO_END = Duration.ofSeconds(10);

  private final Path folder;
  private final String owner;
  private final List<ChildProcess> processes = new ArrayList<>();

  /**
   * @param owner whose processes they are, for messages, such as {@code Spark's}
   */
  ServiceProcesses(Path folder, String owner) {
    this.folder = folder;
    this.owner = owner;
  }

  /** Returns the command that runs a main class with this Java and the options that Spark needs. */
  static List<String> java(String... options) {
    List<String> line = new ArrayList<>();
    line.add(SparkRuntime.javaHome().resolve("bin/java").toString());
    line.addAll(List.of(options));
    line.addAll(Arrays.asList(JavaModuleOptions.defaultModuleOptionArray()));
    return line;
  }

  /** Starts a process, whose log is {@code <name>.log}. */
  ChildProcess start(String name, List<String> line, Map<String, String> environment) {
    ChildProcess process =
        Application.unlessEnding(
            ChildProcess.of(line)
                .name(owner + " " + name)
                .environment(environment)
                .folder(folder)
                .log(folder.resolve(name + ".log"))
                .input("")
                .timeToEnd(TIME_TO_END)
                .start());
    processes.add(process);
    return process;
  }

  /**
   * Waits until a process has printed a sign that it has started.
   *
   * @throws CliException if it ends first, or has not printed it within ten minutes; the message
   *     says which, and quotes its log
   */
  Matcher await(ChildProcess process, String name, Pattern sign) {
    return process
        .findOutput(sign, TIME_TO_START)
        .orElseThrow(
            () ->
                new CliException(
                    process.isAlive()
                        ? "%s %s did not start within %d s.%s"
                            .formatted(owner, name, TIME_TO_START.toSeconds(), log(process))
                        : ended(process, "at its start")));
  }

  /** The process says with which status. */
  private static String ended(ChildProcess process, String when) {
    return "%s ended %s.%s".formatted(process, when, log(process));
  }

  private static String log(ChildProcess process) {
    return " Its log: " + process.log() + LogHint.of(process.log());
  }

  /** Returns which process has ended although nobody has ended it, a sentence; empty if none. */
  Optional<String> loss() {
    return processes.stream()
        .filter(process -> !process.isAlive())
        .map(process -> ended(process, "while it was needed"))
        .findFirst();
  }

  /** Returns the processes that run. */
  List<ProcessHandle> handles() {
    return processes.stream().map(ChildProcess::handle).filter(ProcessHandle::isAlive).toList();
  }

  /** Ends all processes, last ones first. */
  @Override
  public void close() {
    processes.reversed().forEach(ChildProcess::close);
    processes.clear();
  }
}
