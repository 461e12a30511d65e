// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChildProcessTest {
  private static final Duration LIMIT = Duration.ofSeconds(20);

  @TempDir Path folder;

  @Test
  void runReturnsStatusAndBothOutputs() {
    ChildProcess.Result result =
        ChildProcess.of("sh", "-c", "echo a; echo b >&2; exit 3").run(LIMIT);

    assertEquals(new ChildProcess.Result(3, "a\nb\n"), result);
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
    try (ChildProcess process = ChildProcess.of("sh", "-c", "echo far; sleep 100 & wait").start()) {
      process.awaitOutput(Pattern.compile("far"), LIMIT);
      List<ProcessHandle> below = process.handle().descendants().toList();
      assertEquals(1, below.size());

      AssertionError e =
          assertThrows(AssertionError.class, () -> process.awaitEnd(Duration.ofMillis(50)));

      assertTrue(e.getMessage().contains("still ran after PT0.05S"), e.getMessage());
      assertTrue(e.getMessage().endsWith("the end of its output:\nfar\n"), e.getMessage());
      assertFalse(process.isAlive());
      assertTrue(endsSoon(below.getFirst()));
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
  void keepsANamedLog() throws Exception {
    Path log = folder.resolve("new").resolve("log");

    ChildProcess.of("echo", "kept").log(log).run(LIMIT);

    assertEquals("kept\n", Files.readString(log));
  }

  @Test
  void exchangesLinesWithARunningProcess() throws Exception {
    Queue<String> lines = new ConcurrentLinkedQueue<>();
    try (ChildProcess process = ChildProcess.of("cat").onLine(lines::add).start()) {
      process.send("one");
      process.awaitOutput(Pattern.compile("one\n"), LIMIT);
      process.send("two");
      process.awaitOutput(Pattern.compile("two\n"), LIMIT);
      long deadline = System.nanoTime() + LIMIT.toNanos();
      while (lines.size() < 2 && System.nanoTime() < deadline) {
        TimeUnit.MILLISECONDS.sleep(5);
      }
      assertEquals(List.of("one", "two"), List.copyOf(lines));
    }
  }

  @Test
  void waitingForOutputFailsWhenTheProcessExits() {
    try (ChildProcess process = ChildProcess.of("echo", "other").start()) {
      AssertionError e =
          assertThrows(
              AssertionError.class, () -> process.awaitOutput(Pattern.compile("wanted"), LIMIT));
      assertTrue(e.getMessage().contains("ended with 0) did not print 'wanted'"), e.getMessage());
      assertTrue(e.getMessage().endsWith("other\n"), e.getMessage());
    }
  }

  @Test
  void stopsAndContinues() throws Exception {
    try (ChildProcess process = ChildProcess.of("sleep", "100").start()) {
      process.signal("STOP");
      awaitState(process, 'T');
      process.signal("CONT");
      awaitState(process, 'S');
      process.signal("TERM");
      assertEquals(128 + 15, process.awaitEnd(LIMIT));
    }
  }

  private static void awaitState(ChildProcess process, char state) throws Exception {
    Path stat = Path.of("/proc/%d/stat".formatted(process.pid()));
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!Files.readString(stat).contains(") %c ".formatted(state))) {
      assertTrue(System.nanoTime() < deadline, Files.readString(stat));
      TimeUnit.MILLISECONDS.sleep(5);
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
