// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.benchmarks.launch.FakeApplication.Behavior;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.report.Console;
import io.symshuffle.cli.CliException;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class ApplicationTest {
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final Duration SHORT = Duration.ofMillis(300);

  @TempDir private Path folder;

  @Test
  void answersRequestsAndEndsTheProcess() throws IOException {
    List<Reply.Progress> steps = new ArrayList<>();
    ProcessHandle process;
    try (Application application = start(Behavior.GOOD)) {
      assertEquals("app", application.awaitReady(LONG).applicationId());
      assertInstanceOf(
          Reply.Done.class, application.ask(new Request.Clean(), "it", LONG, steps::add));
      process = application.process();
    }
    assertAll(
        () -> assertEquals(List.of(new Reply.Progress("work", 1, 2)), steps),
        () -> assertTrue(!process.isAlive(), "the process still runs"));
  }

  @Test
  void reportsAnApplicationThatEndsAtStartWithItsLog() throws IOException {
    try (Application application = start(Behavior.DIES_AT_START)) {
      says(
          assertThrows(CliException.class, () -> application.awaitReady(LONG)),
          "ended with exit status 7 while starting",
          folder.resolve("fake/driver.log").toString(),
          "the cause of the failure");
    }
  }

  @Test
  void reportsAnApplicationThatIsNeverReady() throws IOException {
    try (Application application = start(Behavior.HANGS_AT_START)) {
      says(
          assertThrows(CliException.class, () -> application.awaitReady(SHORT)),
          "did not start within 0 s",
          folder.resolve("fake/driver.log").toString());
    }
  }

  @Test
  void reportsAnApplicationThatEndsDuringARequest() throws IOException {
    try (Application application = start(Behavior.DIES_LATER)) {
      application.awaitReady(LONG);
      says(
          assertThrows(
              CliException.class,
              () -> application.ask(new Request.Clean(), "q5", LONG, step -> {})),
          "ended with exit status 9 during q5");
      assertEquals(
          1,
          assertThrows(
                  CliException.class,
                  () -> application.ask(new Request.Clean(), "q5", LONG, step -> {}))
              .exitStatus());
    }
  }

  @Test
  void writesThreadDumpsOfAnApplicationThatHangsDuringARequest() throws IOException {
    ProcessHandle process;
    try (Application application = start(Behavior.HANGS_LATER)) {
      application.awaitReady(LONG);
      process = application.process();
      says(
          assertThrows(
              CliException.class,
              () -> application.ask(new Request.Clean(), "q5", SHORT, step -> {})),
          "did not finish q5 within");
    }
    assertAll(
        () -> assertTrue(!process.isAlive(), "the process still runs"),
        () ->
            assertTrue(
                folder.resolve("fake/threads-" + process.pid() + ".txt").toFile().length() > 0,
                "no thread dump"));
  }

  @Test
  void aRequestEndsWhenSomethingIsLostThatTheApplicationNeeds() throws IOException {
    try (Application application = start(Behavior.HANGS_LATER)) {
      application.awaitReady(LONG);
      application.needs(() -> Optional.of("The service ended with status 137."));
      CliException lost =
          assertThrows(
              CliException.class,
              () -> application.ask(new Request.Clean(), "q5", LONG, step -> {}));
      says(lost, "cannot continue during q5: The service ended with status 137.");
      assertEquals(1, lost.exitStatus(), "it did start");
    }
  }

  @Test
  void endsAnApplicationThatIsStartedWhileThisProcessEnds() {
    ChildProcess.Result result =
        ChildProcess.java(List.of(), Ending.class.getName(), List.of(folder.toString())).run(LONG);
    assertAll(
        result.output(),
        () -> assertEquals(0, result.status()),
        () -> assertTrue(result.output().contains("Interrupted at the start of the application")),
        () -> assertTrue(result.output().contains("0 processes are left")));
  }

  /** Starts an application in a shutdown hook. */
  static final class Ending {
    private Ending() {}

    public static void main(String[] arguments) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> tryToStart(Path.of(arguments[0]))));
    }

    private static void tryToStart(Path folder) {
      try (Application application = start(Behavior.HANGS_AT_START, folder)) {
        System.out.println("started " + application.name());
      } catch (CliException | IOException e) {
        System.out.println(e.getMessage());
      }
      System.out.println(ProcessHandle.current().descendants().count() + " processes are left");
    }
  }

  private Application start(Behavior behavior) throws IOException {
    return start(behavior, folder);
  }

  private static Application start(Behavior behavior, Path folder) throws IOException {
    PrintWriter quiet = new PrintWriter(new StringWriter());
    Path own = Files.createDirectories(folder.resolve("fake"));
    return FakeApplication.start("fake", behavior, own, new Console(quiet, false));
  }

  @Test
  void endsApplicationWhoseExecutorsDieAtTheirStart() throws IOException {
    try (Application application = start(Behavior.EXECUTORS_DIE)) {
      CliException failure = assertThrows(CliException.class, () -> application.awaitReady(LONG));
      says(failure, "executors of the application 'fake' die when they start");
      assertEquals(2, failure.exitStatus());
    }
  }

  @Test
  void quotesTheLogOfAnExecutorIfAnApplicationDoesNotStart() throws IOException {
    Path executor = Files.createDirectories(folder.resolve("fake/work/app-1/0"));
    Files.writeString(executor.resolve("stderr"), "nothing\n");
    Files.writeString(executor.resolve("stdout"), "Error: no such option\n");
    try (Application application = start(Behavior.DIES_AT_START)) {
      says(
          assertThrows(CliException.class, () -> application.awaitReady(LONG)),
          "An executor's log: " + executor.resolve("stdout"),
          "  Error: no such option");
    }
  }

  private static void says(CliException failure, String... parts) {
    for (String part : parts) {
      assertTrue(failure.getMessage().contains(part), failure.getMessage());
    }
  }
}
