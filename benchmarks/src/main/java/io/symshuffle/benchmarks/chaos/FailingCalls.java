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

/**
 * Fails every n-th call of some functions of the C library in executors, with a library that they
 * preload: {@code call.populate} and {@code call.fallocate}, which reserve shared memory, and
 * {@code call.pread}, which reads files of map outputs.
 *
 * @param library the compiled library
 */
record FailingCalls(Path library) {
  private static final String SOURCE = "failing_calls.c";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** A heap is reserved in few pieces, while a task may read hundreds of blocks. */
  private static final int POPULATE_CALLS = 6;

  private static final int PREAD_CALLS = 600;

  /**
   * Compiles the library.
   *
   * @param folder where it is stored
   * @return empty if there is no working C compiler
   */
  static Optional<FailingCalls> compile(Path folder) throws IOException {
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
   * @param log gets a line for each failure
   * @param populate each so many reservations of shared memory, one fails; 0: none
   * @param pread each so many reads of a file of map outputs, one fails; 0: none
   */
  Map<String, String> environment(Path log, int populate, int pread) {
    return new TreeMap<>(
        Map.of(
            "LD_PRELOAD", library.toString(),
            "FAIL_LOG", log.toString(),
            "FAIL_POPULATE", Integer.toString(populate),
            "FAIL_FALLOCATE", Integer.toString(populate),
            "FAIL_PREAD", Integer.toString(pread)));
  }

  /** Returns Spark's settings for executors in which calls fail. */
  Map<String, String> settings(Path log) {
    Map<String, String> settings = new TreeMap<>();
    environment(log, POPULATE_CALLS, PREAD_CALLS)
        .forEach((name, value) -> settings.put("spark.executorEnv." + name, value));
    return settings;
  }
}
