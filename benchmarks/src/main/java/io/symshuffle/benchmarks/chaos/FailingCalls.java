// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Fails every n-th call of some functions of the C library in executors, with a library that they
 * preload, and lets their wall clocks step by an hour. The library's source says which calls.
 */
public record FailingCalls(Path library) {
  private static final String SOURCE = "failing_calls.c";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** A heap is reserved in few pieces, while a task may read hundreds of blocks. */
  private static final Map<String, Integer> IN_CHAOS =
      Map.of("reserve", 3, "mmap", 4, "pread", 300);

  private static final int STEP_SECONDS = 15;

  /** Compiles the library; empty if there is no working C compiler. */
  public static Optional<FailingCalls> compile(Path folder) throws IOException {
    Path source = folder.resolve(SOURCE);
    Path library = folder.resolve("failing_calls.so");
    try (InputStream text = FailingCalls.class.getResourceAsStream(SOURCE)) {
      Files.copy(text, source);
    }
    try {
      boolean compiled =
          ChildProcess.of(
                  "gcc",
                  "-std=c11",
                  "-O1",
                  "-Wall",
                  "-Wextra",
                  "-Werror",
                  "-shared",
                  "-fPIC",
                  "-o",
                  library.toString(),
                  source.toString())
              .tryRun(LIMIT)
              .passed();
      return compiled ? Optional.of(new FailingCalls(library)) : Optional.empty();
    } finally {
      Files.delete(source);
    }
  }

  /**
   * Returns the environment of a process in which calls fail.
   *
   * @param log gets a line for each fault, such as {@code call.pread}
   * @param calls for names of calls: each so many, one fails
   * @param stepSeconds how often the wall clock steps; 0: never
   */
  public Map<String, String> environment(Path log, Map<String, Integer> calls, int stepSeconds) {
    String pairs =
        calls.entrySet().stream()
            .map(call -> call.getKey() + "=" + call.getValue())
            .collect(Collectors.joining(","));
    return new TreeMap<>(
        Map.of(
            "LD_PRELOAD", library.toString(),
            "FAIL_LOG", log.toString(),
            "FAIL_CALLS", pairs,
            "FAIL_CLOCK", Integer.toString(stepSeconds)));
  }

  /** Returns Spark's settings for executors of a chaos test. */
  Map<String, String> settings(Path log) {
    Map<String, String> settings = new TreeMap<>();
    environment(log, IN_CHAOS, STEP_SECONDS)
        .forEach((name, value) -> settings.put("spark.executorEnv." + name, value));
    return settings;
  }
}
