// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.benchmarks.application.BenchmarkApplication;
import io.symshuffle.benchmarks.protocol.LineChannel;
import io.symshuffle.benchmarks.protocol.LineCodec;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A process without Spark that implements or violates the protocol of an application. */
final class FakeApplication {
  enum Behavior {
    /** Answers everything. */
    GOOD,
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

  private static LineChannel connect(int port) throws Exception {
    return new LineChannel(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  private static String ready(String token) {
    return LineCodec.line(new Reply.Ready(token, "app", "4.2.0", "Manager", 1, 1));
  }
}
