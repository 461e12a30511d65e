// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.pe;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.process.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class PeJobTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /** A PE that hangs. */
  static final class HungPe {
    public static void main(String[] arguments) {
      PeJob.runPe(
          arguments,
          job -> {
            PeLine.print(
                "started", ProcessHandle.current().pid(), job.folder(), PeJob.PE_LIMIT.toSeconds());
            Thread.sleep(Duration.ofMinutes(10));
          });
    }
  }

  /** Runs a job whose PE hangs. */
  static final class HungJob {
    public static void main(String[] arguments) {
      new PeJob(HungPe.class, Backend.SHM, 1, PeJob.sharedMemory(), List.of())
          .run(
              Duration.ofSeconds(70),
              Duration.ofMillis(1),
              line -> System.out.println(line.values()));
    }
  }

  @Test
  void leavesNothingWhenItIsTerminated() {
    try (ChildProcess job =
        ChildProcess.java(List.of(), HungJob.class.getName(), List.of()).start()) {
      Matcher started = job.awaitOutput(Pattern.compile("\\[(\\d+), (\\S+), (\\d+)\\]"), LIMIT);
      job.awaitOutput(
          Pattern.compile("Waiting for 1 of 1 PEs: \\d+ s so far, at most 70 s"), LIMIT);
      job.signal("TERM");
      job.awaitEnd(LIMIT);
      assertAll(
          () ->
              assertFalse(
                  ProcessHandle.of(Long.parseLong(started.group(1)))
                      .filter(ProcessHandle::isAlive)
                      .isPresent(),
                  "the PE runs"),
          () -> assertFalse(Files.exists(Path.of(started.group(2))), started.group(2)),
          () -> assertEquals("55", started.group(3), "the limit of the PE"));
    }
  }

  @Test
  void innerLimitEndsSecondsBeforeTheOuterOne() {
    assertAll(
        () -> assertEquals(Duration.ofSeconds(45), PeJob.innerLimit(Duration.ofSeconds(60))),
        () -> assertEquals(Duration.ofSeconds(585), PeJob.innerLimit(Duration.ofSeconds(600))),
        () -> assertEquals(Duration.ofSeconds(1), PeJob.innerLimit(Duration.ofSeconds(1))),
        () ->
            assertTrue(
                PeJob.peLimit(PeJob.innerLimit(Duration.ofSeconds(60)))
                        .compareTo(Duration.ofSeconds(40))
                    < 0));
  }
}
