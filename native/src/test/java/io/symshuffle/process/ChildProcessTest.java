// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProcessTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);

  @TempDir Path folder;

  @Test
  void runReturnsStatusAndBothOutputs() {
    ChildProcess.Result result =
        ChildProcess.of("sh", "-c", "echo a; echo b >&2; exit 3").run(LIMIT);

    assertEquals(new ChildProcess.Result(3, false, "a\nb\n"), result);
  }

  @Test
  void passesInputEnvironmentAndFolder() throws Exception {
    ChildProcess.Result result =
        ChildProcess.of("sh", "-c", "cat; echo $X; echo ${HOME:-no home}; pwd -P")
            .input("in\n")
            .environment(Map.of("X", "of the test"))
            .withoutEnvironment("HO")
            .folder(folder)
            .run(LIMIT);

    assertEquals("in\nof the test\nno home\n%s\n".formatted(folder.toRealPath()), result.output());
  }

  @Test
  void programThatDoesNotReadItsInputFailsByItsStatusOnly() {
    ChildProcess.Result result = ChildProcess.of("false").input("x".repeat(1 << 20)).run(LIMIT);

    assertEquals(1, result.status());
  }

  @Test
  void namesTheProgramThatIsMissing() {
    ChildProcess.Builder missing = ChildProcess.of("no-such-program", "1");

    UncheckedIOException e = assertThrows(UncheckedIOException.class, missing::start);
    assertEquals("no-such-program did not start: no-such-program 1", e.getMessage());
  }

  @Test
  void missedDeadlineKillsTheTreeAndShowsTheEndOfTheOutput() {
    try (ChildProcess process =
        ChildProcess.of("sh", "-c", "sleep 100 & echo far; exec sleep 100").start()) {
      process.awaitOutput(Pattern.compile("far"), LIMIT);
      List<ProcessHandle> below = process.handle().descendants().toList();
      assertEquals(1, below.size());

      IllegalStateException e =
          assertThrows(IllegalStateException.class, () -> process.awaitEnd(Duration.ofMillis(50)));

      assertTrue(e.getMessage().contains("still ran after 0.05 s"), e.getMessage());
      assertTrue(e.getMessage().endsWith("the end of its output:\nfar\n"), e.getMessage());
      assertFalse(process.isAlive());
      assertTrue(endsSoon(below.getFirst()));
    }
  }

  @Test
  void resultTellsOfMissedDeadline() {
    // A shell would say that its command was killed, if it lives a little longer.
    ChildProcess.Builder slow =
        ChildProcess.of("sh", "-c", "echo here; sleep 600 & exec sleep 600");
    Duration limit = Duration.ofMillis(300);
    ChildProcess.Result result = slow.tryRun(limit);
    // On a busy machine it may not get as far as its first command.
    while (result.output().isEmpty() && limit.compareTo(LIMIT) < 0) {
      limit = limit.multipliedBy(2);
      result = slow.tryRun(limit);
    }

    assertEquals(new ChildProcess.Result(137, true, "here\n"), result);
    assertFalse(result.passed());
  }

  @Test
  void resultTellsWhyProcessDidNotStart() {
    ChildProcess.Result result = ChildProcess.of("/no/program").tryRun(LIMIT);

    assertEquals(-1, result.status());
    assertEquals("could not be started", result.ending());
    assertTrue(result.output().contains("No such file"), result.output());
  }

  @Test
  void noticesOnceThatAProcessTakesLong() {
    AtomicInteger notices = new AtomicInteger();
    Path noticed = folder.resolve("noticed");
    ChildProcess.Builder slow =
        ChildProcess.of("sh", "-c", "until [ -e \"$0\" ]; do sleep 0.01; done", noticed.toString());
    Runnable notice =
        () -> {
          notices.incrementAndGet();
          create(noticed);
        };

    assertTrue(slow.notice(Duration.ofMillis(1), notice).tryRun(LIMIT).passed());
    assertEquals(1, notices.get());
    assertTrue(slow.notice(LIMIT, notice).tryRun(LIMIT.multipliedBy(2)).passed());
    assertEquals(1, notices.get(), "it ended before");
  }

  private static void create(Path file) {
    try {
      Files.createFile(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void reportsExitAfterTheLastLine() throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    try (ChildProcess process =
        ChildProcess.of("sh", "-c", "echo 1; echo 2; exit 7")
            .onLine(events::add)
            .onExit(status -> events.add("status " + status))
            .start()) {
      for (String expected : List.of("1", "2", "status 7")) {
        assertEquals(expected, events.poll(LIMIT.toSeconds(), TimeUnit.SECONDS));
      }
      assertEquals("1\n2\n", process.output());
    }
  }

  @Test
  void processMayCleanUpInItsTimeToEnd() throws Exception {
    Path log = folder.resolve("log");
    String script = "trap 'echo cleaned up; exit' TERM; echo up; while :; do sleep 0.01; done";
    try (ChildProcess process =
        ChildProcess.of("bash", "-c", script).log(log).timeToEnd(LIMIT).start()) {
      process.awaitOutput(Pattern.compile("up\n"), LIMIT);
    }

    assertEquals("up\ncleaned up\n", Files.readString(log));
  }

  @Test
  void descendantsThatOutliveTheirParentCanCleanUp() throws Exception {
    Path cleaned = folder.resolve("cleaned");
    String below =
        "trap ': > %s; exit' TERM; echo up; while :; do sleep 0.01; done".formatted(cleaned);
    try (ChildProcess process =
        ChildProcess.of(
                "bash",
                "-c",
                "bash -c \"$0\" & trap exit TERM; while :; do sleep 0.01; done",
                below)
            .timeToEnd(LIMIT)
            .start()) {
      process.awaitOutput(Pattern.compile("up\n"), LIMIT);
    }

    assertTrue(Files.exists(cleaned));
  }

  @Test
  void endOfTheJvmEndsProcessesButNotWhatItsHooksRun() {
    ChildProcess.Result result =
        ChildProcess.java(List.of(), Ending.class.getName(), List.of()).run(LIMIT);

    assertEquals(0, result.status(), result.output());
    assertTrue(result.output().contains("hook: done"), result.output());
    Matcher left = Pattern.compile("left (\\d+)").matcher(result.output());
    assertTrue(left.find(), result.output());
    long pid = Long.parseLong(left.group(1));
    assertTrue(ProcessHandle.of(pid).map(ChildProcessTest::endsSoon).orElse(true));
  }

  /** Leaves a process running, and runs another one in a shutdown hook. */
  static final class Ending {
    private Ending() {}

    @SuppressWarnings("MustBeClosed")
    public static void main(String[] args) {
      System.out.println("left " + ChildProcess.of("sleep", "600").start().pid());
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    String done =
                        ChildProcess.of("sh", "-c", "sleep 0.3; echo done").run(LIMIT).output();
                    System.out.println("hook: " + done);
                  }));
    }
  }

  @Test
  void closeKillsTheTreeAndDeletesTheTemporaryLog() {
    ChildProcess process = ChildProcess.of("sh", "-c", "sleep 100 & echo up; wait").start();
    process.awaitOutput(Pattern.compile("up"), LIMIT);
    List<ProcessHandle> below = process.handle().descendants().toList();

    process.close();

    assertFalse(process.isAlive());
    assertTrue(endsSoon(below.getFirst()));
    assertFalse(Files.exists(process.log()));
  }

  @Test
  void waitingForOutputFailsWhenTheProcessExits() {
    try (ChildProcess process = ChildProcess.of("echo", "other").start()) {
      IllegalStateException e =
          assertThrows(
              IllegalStateException.class,
              () -> process.awaitOutput(Pattern.compile("wanted"), LIMIT));
      assertTrue(e.getMessage().contains("ended with 0) did not print 'wanted'"), e.getMessage());
      assertTrue(e.getMessage().endsWith("other\n"), e.getMessage());
    }
  }

  /** Waits until a process is gone; a killed one may be a zombie until init collects it. */
  private static boolean endsSoon(ProcessHandle process) {
    try {
      process.onExit().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      return true;
    } catch (Exception e) {
      return false;
    }
  }
}
