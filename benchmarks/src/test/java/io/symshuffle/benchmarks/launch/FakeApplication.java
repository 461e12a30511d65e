// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.protocol.LineCodec;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.protocol.ResultColumns;
import io.symshuffle.benchmarks.report.Console;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A process without Spark that implements or violates the protocol of an application. */
public final class FakeApplication {
  /** What it does. */
  enum Behavior {
    /** Answers everything. */
    GOOD,
    /** Answers queries with a row of their text, and everything else. */
    ANSWERS,
    /** Ends before it is ready. */
    DIES_AT_START,
    /** Is never ready. */
    HANGS_AT_START,
    /** Is never ready, while executors die. */
    EXECUTORS_DIE,
    /** Ends at the first request. */
    DIES_LATER,
    /** Answers nothing. */
    HANGS_LATER
  }

  private FakeApplication() {}

  /**
   * Starts an application that answers each query with a row, which is its text, and waits until it
   * is ready.
   *
   * @param folder gets a folder for its files
   */
  public static Application answering(String name, Path folder, Console console)
      throws IOException {
    Path own = Files.createTempDirectory(folder, name);
    Application application = start(name, Behavior.ANSWERS, own, console);
    application.awaitReady(Duration.ofMinutes(10));
    return application;
  }

  static Application start(String name, Behavior behavior, Path folder, Console console)
      throws IOException {
    ApplicationSpec spec =
        new ApplicationSpec(
            name, new SparkMaster("local"), "1g", Map.of(), false, List.of(), folder);
    List<String> line =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            FakeApplication.class.getName(),
            behavior.name(),
            Application.repliesOf(spec).toString());
    return Application.start(spec, line, Map.of(), console);
  }

  public static void main(String[] args) throws Exception {
    Behavior behavior = Behavior.valueOf(args[0]);
    Path replies = Path.of(args[1]);
    System.out.println("ERROR nothing: the cause of the failure");
    switch (behavior) {
      case DIES_AT_START -> System.exit(7);
      case HANGS_AT_START -> Thread.sleep(Duration.ofMinutes(5));
      case EXECUTORS_DIE -> {
        for (int executor = 0; executor < 3; executor++) {
          System.out.printf(
              "INFO Executor updated: app-1/%d is now EXITED (exited with code 1)%n", executor);
        }
        Thread.sleep(Duration.ofMinutes(5));
      }
      default -> send(replies, new Reply.Ready("app", "4.2.0", "Manager", 1, 1));
    }
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Request request;
    do {
      request = LineCodec.request(in.readLine());
      switch (behavior) {
        case DIES_LATER -> System.exit(9);
        case HANGS_LATER -> Thread.sleep(Duration.ofMinutes(5));
        case ANSWERS -> send(replies, answer(request));
        default -> {
          send(replies, new Reply.Progress("work", 1, 2));
          send(replies, new Reply.Done());
        }
      }
    } while (!(request instanceof Request.Stop));
  }

  private static void send(Path replies, Reply reply) throws IOException {
    Files.writeString(replies, LineCodec.line((Record) reply) + "\n", StandardOpenOption.APPEND);
  }

  private static Reply answer(Request request) throws IOException {
    if (!(request instanceof Request.Query query)) {
      return new Reply.Done();
    }
    Files.writeString(Path.of(query.rowsFile()), query.sql() + "\n");
    return new Reply.Measured(0.5, 1, ResultColumns.PLAIN, List.of());
  }
}
