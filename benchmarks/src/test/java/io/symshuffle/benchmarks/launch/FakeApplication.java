// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.application.BenchmarkApplication;
import io.symshuffle.benchmarks.protocol.LineChannel;
import io.symshuffle.benchmarks.protocol.LineCodec;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.protocol.ResultColumns;
import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import io.symshuffle.benchmarks.report.Console;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
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
    /** Ends before it connects. */
    DIES_AT_START,
    /** Never connects, while executors die. */
    EXECUTORS_DIE,
    /** Never connects. */
    HANGS_AT_START,
    /** Ends at the first request. */
    DIES_LATER,
    /** Answers nothing. */
    HANGS_LATER,
    /** First connects without the token. */
    STRANGER
  }

  private FakeApplication() {}

  /**
   * Starts an application that answers each query with a row, which is its text, and waits until it
   * is ready.
   *
   * @param folder for its log
   */
  public static Application answering(String name, Path folder, Console console)
      throws IOException {
    ApplicationSpec spec =
        new ApplicationSpec(
            name, new SparkMaster("local"), "1g", Map.of(), false, List.of(), folder);
    Application application = Application.start(spec, command(Behavior.ANSWERS), console);
    application.awaitReady(Duration.ofMinutes(2));
    return application;
  }

  static StartCommand command(Behavior behavior) {
    return new StartCommand() {
      @Override
      public List<String> line(int port) {
        return List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            FakeApplication.class.getName(),
            behavior.name(),
            Integer.toString(port));
      }

      @Override
      public Map<String, String> environment(String token) {
        return Map.of(BenchmarkApplication.TOKEN, token);
      }
    };
  }

  public static void main(String[] args) throws Exception {
    Behavior behavior = Behavior.valueOf(args[0]);
    int port = Integer.parseInt(args[1]);
    System.out.println("ERROR nothing: the cause of the failure");
    switch (behavior) {
      case DIES_AT_START -> System.exit(7);
      case HANGS_AT_START -> Thread.sleep(Duration.ofMinutes(5));
      case EXECUTORS_DIE -> {
        for (int executor = 0; executor < 3; executor++) {
          System.out.printf(
              "INFO StandaloneAppClient$ClientEndpoint: Executor updated: app-1/%d is now EXITED"
                  + " (Command exited with code 1)%n",
              executor);
        }
        Thread.sleep(Duration.ofMinutes(5));
      }
      case STRANGER -> {
        try (LineChannel channel = connect(port)) {
          channel.send(ready("guess"));
          // The server accepts this connection only after it has refused the first one.
          talk(port, behavior);
        }
      }
      default -> talk(port, behavior);
    }
  }

  private static void talk(int port, Behavior behavior) throws Exception {
    try (LineChannel channel = connect(port)) {
      channel.send(ready(System.getenv(BenchmarkApplication.TOKEN)));
      while (true) {
        Request request = LineCodec.request(channel.receive(Duration.ofMinutes(5)));
        switch (behavior) {
          case DIES_LATER -> System.exit(9);
          case HANGS_LATER -> Thread.sleep(Duration.ofMinutes(5));
          case ANSWERS -> channel.send(LineCodec.line((Record) answer(request)));
          default -> {
            channel.send(LineCodec.line(new Reply.Progress("work", 1, 2)));
            channel.send(LineCodec.line(new Reply.Done()));
          }
        }
        if (request instanceof Request.Stop) {
          return;
        }
      }
    }
  }

  private static Reply answer(Request request) throws IOException {
    if (!(request instanceof Request.Query query)) {
      return new Reply.Done();
    }
    Files.writeString(Path.of(query.rowsFile()), query.sql() + "\n");
    return new Reply.Measured(0.5, 1, ResultColumns.PLAIN, ShuffleFigures.NONE, List.of());
  }

  private static LineChannel connect(int port) throws Exception {
    return new LineChannel(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  private static String ready(String token) {
    return LineCodec.line(new Reply.Ready(token, "app", "4.2.0", "Manager", 1, 1));
  }
}
