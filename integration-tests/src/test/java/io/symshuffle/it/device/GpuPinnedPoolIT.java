// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.it.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.process.ChildProcess;
import java.io.File;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * cuDF's concatenation while other threads write to RAPIDS' pinned memory pool: rows are right if
 * cuDF has its own pool, as SymShuffle configures it. System properties as for {@link GpuTablesIT}.
 */
@Tag("gpu")
class GpuPinnedPoolIT {
  private static final Duration LIMIT = Duration.ofMinutes(4);

  @Test
  void rowsAreRightIfCudfHasItsOwnPool() {
    ChildProcess.Result result = run(false);
    assertEquals(0, result.status(), result::output);
    assertTrue(result.output().contains("WRONG 0 OF "), result::output);
  }

  /** Shows whether this version of cuDF has the fault; it may also end the process. */
  @Test
  void reportsRowsThatAreWrongIfCudfSharesThePool(TestReporter reporter) {
    ChildProcess.Result result = run(true);
    String outcome =
        result.output().lines().filter(line -> line.startsWith("WRONG ")).findFirst().orElse("");
    reporter.publishEntry(
        Map.of("shared pool", "status %d %s".formatted(result.status(), outcome)));
  }

  private static ChildProcess.Result run(boolean shared) {
    String jar = System.getProperty("symshuffle.rapids.jar");
    assumeTrue(jar != null, "symshuffle.rapids.jar names no jar of the RAPIDS Accelerator");
    String libraries = System.getProperty("symshuffle.rapids.libs");
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("java.home") + "/bin/java");
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-cp"));
    command.add(System.getProperty("java.class.path") + File.pathSeparator + jar);
    Stream.ofNullable(libraries)
        .map(folder -> "-Dai.rapids.cudf.lib-native-dir=" + folder)
        .forEach(command::add);
    command.addAll(List.of(PinnedPoolProgram.class.getName(), Boolean.toString(shared)));
    return ChildProcess.of(command)
        .environment(Map.of("LIBCUDF_PINNED_POOL_SIZE", Long.toString(64L << 20)))
        .run(LIMIT);
  }
}
