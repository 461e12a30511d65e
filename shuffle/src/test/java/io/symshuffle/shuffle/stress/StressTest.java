// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.stress;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs the jcstress tests of this package in separate processes: millions of times, in interpreted
 * and compiled code, with varying interleavings of threads. {@code LeaseProtocolTest} and {@code
 * SlabAllocatorConcurrencyTest} check the same protocols in every build, with fewer interleavings.
 */
class StressTest {
  /** Minimum number of tests that run; one more needs three CPUs. */
  private static final int TESTS = 3;

  private static final Pattern RESULTS =
      Pattern.compile("(\\d+) passed, 0 failed, 0 soft errs, 0 hard errs");

  @Test
  @Tag("long")
  @Timeout(value = 20, unit = TimeUnit.MINUTES)
  void protocolsHoldForMinutes() throws Exception {
    stress(900, "-f", "2", "-fsm", "5", "-iters", "5", "-time", "1000");
  }

  private static void stress(int limitSeconds, String... options) throws Exception {
    Path folder = Files.createDirectories(Path.of("target", "jcstress")).toAbsolutePath();
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(
        List.of("org.openjdk.jcstress.Main", "-t", StressTest.class.getPackageName() + "\\."));
    command.addAll(List.of(options));
    // Few states at a time, since each may hold a lease and an executor has 4096 slots.
    command.addAll(List.of("-strideSize", "64", "-strideCount", "16"));
    command.addAll(List.of("-r", folder.resolve("report").toString(), "-v"));
    command.addAll(
        List.of("-jvmArgs", "-Xmx256m --enable-native-access=ALL-UNNAMED", "-af", "NONE"));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile());
    // jcstress chooses the compilers.
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    Process process = builder.start();
    try {
      boolean ended = process.waitFor(limitSeconds, TimeUnit.SECONDS);
      String log = Files.readString(folder.resolve("log"));
      assertTrue(ended, () -> "not finished after %d s: %s".formatted(limitSeconds, log));
      int passed = 0;
      Matcher results = RESULTS.matcher(log);
      while (results.find()) {
        passed = Integer.parseInt(results.group(1));
      }
      int found = passed;
      assertAll(
          log,
          () -> assertEquals(0, process.exitValue()),
          () -> assertTrue(found >= TESTS, () -> found + " passed"),
          () -> assertTrue(log.contains("Failed tests: No matches.")),
          () -> assertTrue(log.contains("Error tests: No matches.")));
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      removeBlobs(folder);
    }
  }

  /** Deletes the files that jcstress leaves in its folder, except the report. */
  private static void removeBlobs(Path folder) throws IOException {
    try (var blobs = Files.newDirectoryStream(folder, "*.bin.gz")) {
      for (Path blob : blobs) {
        Files.delete(blob);
      }
    }
  }
}
