// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.benchmarks.launch.BuiltCommand;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class FailingCallsTest {
  @TempDir Path folder;

  @Test
  void everySixthReservationAndEveryFourthReadFail() throws Exception {
    assumeTrue(FakeLibraries.areAvailable(), "gcc is needed to compile the library");
    Path log = folder.resolve("faults.log");
    FailingCalls calls = FailingCalls.compile(folder).orElseThrow();
    ChildProcess.Result result =
        BuiltCommand.of(CallsMain.class)
            .environment(calls.environment(log, Map.of("reserve", 6, "pread", 4), 1))
            .run(Duration.ofMinutes(10));
    assertTrue(result.passed(), result.output());
    assertTrue(
        result.lines().contains("2 of 12 reservations, 3 of 12 reads, 0 of 12 other reads"),
        result.output());
    Map<String, Long> logged =
        Files.readAllLines(log).stream()
            .collect(Collectors.groupingBy(line -> line.split(" ", -1)[0], Collectors.counting()));
    assertTrue(logged.get("call.pread") >= 3, logged.toString());
    assertTrue(logged.get("call.reserve") >= 2, logged.toString());
  }
}
