// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LineCodecTest {
  private static final List<Request> REQUESTS =
      List.of(
          new Request.Generate("tpch", List.of("region", "nation"), 0.01, "/data"),
          new Request.Tables("tpch", List.of("region"), "/data"),
          new Request.Query("q1", "select 1\n-- \"quoted\"\tü", "/rows"),
          new Request.Twice("q1", "select 1", "/dev/shm/a", "/rows"),
          new Request.Case("wide", 1L << 40, 500, 200, true, "/rows"),
          new Request.Collect("NCCL", "all-reduce", 4, 1L << 30, 5),
          new Request.AwaitExecutors(),
          new Request.Announce(),
          new Request.Counters(),
          new Request.Clean(),
          new Request.Leaks("/dev/shm/a", "/local", 60),
          new Request.Stop());

  private static final List<Reply> REPLIES =
      List.of(
          new Reply.Ready("app-1", "4.2.0", "org.example.Manager", 2, 4),
          new Reply.Progress("lineitem", 3, 10),
          new Reply.Generated(Map.of("region", 5L)),
          new Reply.Measured(
              1.25,
              4,
              new ResultColumns(List.of(0, 1), List.of(2)),
              List.of(
                  new StageFigures(
                      7,
                      9,
                      true,
                      0.5,
                      4,
                      2,
                      0.1,
                      0.25,
                      2,
                      3,
                      0.5,
                      1L << 50,
                      6,
                      1L << 40,
                      Map.of("gpuTime", 1.5)))),
          new Reply.Counted(Map.of("send.pack.seconds", 0.25)),
          new Reply.Leaks(1, 2, 3),
          new Reply.Done(),
          new Reply.Failed("no\nluck"));

  @Test
  void requestsRoundTripAsOneLine() {
    assertAll(
        REQUESTS.stream()
            .map(
                request ->
                    () -> {
                      String line = LineCodec.line((Record) request);
                      assertFalse(line.contains("\n"), line);
                      assertEquals(request, LineCodec.request(line));
                    }));
  }

  @Test
  void repliesRoundTripAsOneLine() {
    assertAll(
        REPLIES.stream()
            .map(
                reply ->
                    () -> {
                      String line = LineCodec.line((Record) reply);
                      assertFalse(line.contains("\n"), line);
                      assertEquals(reply, LineCodec.reply(line));
                    }));
  }

  @Test
  void examplesCoverEveryKindOfMessage() {
    assertAll(
        () -> assertEquals(kinds(Request.class), REQUESTS.stream().map(Object::getClass).toList()),
        () -> assertEquals(kinds(Reply.class), REPLIES.stream().map(Object::getClass).toList()));
  }

  @Test
  void invalidLinesAreRefused() {
    assertAll(
        () -> assertThrows(IOException.class, () -> LineCodec.request("hello")),
        () -> assertThrows(IOException.class, () -> LineCodec.request("{\"kind\":\"Done\"}")),
        () -> assertThrows(IOException.class, () -> LineCodec.reply("{\"kind\":\"Stop\"}")),
        () -> assertThrows(IOException.class, () -> LineCodec.reply("{}")));
  }

  private static List<Class<?>> kinds(Class<?> type) {
    return Arrays.asList(type.getPermittedSubclasses());
  }
}
