// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.process;

import io.symshuffle.it.wait.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The process of an executor, found in {@code /proc}; works with any cluster manager on this
 * machine.
 */
public record ExecutorProcess(String executorId, long pid) {
  private static final Path PROC = Path.of("/proc");

  /** The main classes of executors; each cluster manager may have its own. */
  private static final Pattern BACKEND =
      Pattern.compile("org\\.apache\\.spark\\.(\\w+\\.)+\\w*ExecutorBackend");

  /** Returns the live executors of an application, by ascending process id. */
  public static List<ExecutorProcess> of(String applicationId) {
    List<ExecutorProcess> found = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[1-9]*")) {
      for (Path process : processes) {
        List<String> arguments = commandLine(process);
        if (arguments.stream().anyMatch(argument -> BACKEND.matcher(argument).matches())
            && option(arguments, "--app-id").filter(applicationId::equals).isPresent()) {
          option(arguments, "--executor-id")
              .ifPresent(
                  id ->
                      found.add(
                          new ExecutorProcess(
                              id, Long.parseLong(process.getFileName().toString()))));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("reading " + PROC, e);
    }
    found.sort(Comparator.comparingLong(ExecutorProcess::pid));
    return found;
  }

  /** Returns whether the process exists and is not a zombie. */
  public boolean isAlive() {
    return !commandLine(PROC.resolve(Long.toString(pid))).isEmpty();
  }

  /** Kills the process with SIGKILL and waits for its end. */
  public void kill() {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    Await.until("%s is gone".formatted(this), () -> !isAlive());
  }

  /**
   * Returns mapped files whose path contains a text.
   *
   * @param text part of a path
   */
  public NavigableSet<Path> mappedFiles(String text) {
    return mappedFiles(pid, text);
  }

  /**
   * Returns mapped files of a process whose path contains a text; none if it has ended.
   *
   * @param text part of a path
   */
  public static NavigableSet<Path> mappedFiles(long pid, String text) {
    NavigableSet<Path> mapped = new TreeSet<>();
    try {
      for (String line : Files.readAllLines(PROC.resolve(Long.toString(pid)).resolve("maps"))) {
        int slash = line.indexOf('/');
        if (slash >= 0 && line.indexOf(text, slash) >= 0) {
          mapped.add(Path.of(line.substring(slash).replace(" (deleted)", "")));
        }
      }
    } catch (IOException ignored) {
      // The process has ended.
    }
    return mapped;
  }

  private static List<String> commandLine(Path process) {
    try {
      String line =
          new String(Files.readAllBytes(process.resolve("cmdline")), StandardCharsets.UTF_8);
      return line.isEmpty() ? List.of() : Arrays.asList(line.split("\0"));
    } catch (IOException ignored) {
      // The process has ended, or belongs to another user.
      return List.of();
    }
  }

  private static Optional<String> option(List<String> arguments, String name) {
    int at = arguments.indexOf(name);
    return at >= 0 && at + 1 < arguments.size()
        ? Optional.of(arguments.get(at + 1))
        : Optional.empty();
  }
}
