// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.symshuffle.benchmarks.protocol.LineCodec;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.commons.lang3.exception.ExceptionUtils;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The main class of the application. It appends {@link Reply.Ready} to the file in its argument
 * once the executors have joined and one has run a task, and then the replies to the requests in
 * its standard input, one at a time. It ends on {@link Request.Stop}, and immediately when the
 * command has ended.
 */
public final class BenchmarkApplication {
  private static final Logger LOG = LoggerFactory.getLogger(BenchmarkApplication.class);
  private static final Duration TIME_TO_JOIN = Duration.ofMinutes(5);
  private static final Duration TIME_TO_STOP = Duration.ofSeconds(50);

  /** Of a line about a failure. */
  private static final int MAX_CHARACTERS = 400;

  private BenchmarkApplication() {}

  /**
   * Runs until {@link Request.Stop}.
   *
   * @param args an existing file
   * @throws Exception if Spark does not start, or the file cannot be written
   */
  public static void main(String[] args) throws Exception {
    try (Writer replies = Files.newBufferedWriter(Path.of(args[0]), StandardOpenOption.APPEND);
        SparkSession spark = SparkSession.builder().getOrCreate()) {
      LinkedBlockingQueue<String> requests = new LinkedBlockingQueue<>();
      Thread.ofPlatform().daemon().name("requests").start(() -> read(requests));
      send(ready(spark), replies);
      answer(requests, replies, new Requests(spark, new ShuffleMeter(spark.sparkContext())));
    }
  }

  /** Spark's listeners send progress, too. */
  private static void send(Reply reply, Writer replies) throws IOException {
    synchronized (replies) {
      replies.write(LineCodec.line((Record) reply) + "\n");
      replies.flush();
    }
  }

  private static Reply.Ready ready(SparkSession spark) throws InterruptedException {
    SparkContext context = spark.sparkContext();
    spark.range(context.defaultParallelism()).toDF().javaRDD().count();
    // The scheduler counts an executor before its block manager has joined.
    long deadline = System.nanoTime() + TIME_TO_JOIN.toNanos();
    while (executors(context) < context.getExecutorIds().size()
        && System.nanoTime() - deadline < 0) {
      Thread.sleep(20);
    }
    return new Reply.Ready(
        context.applicationId(),
        spark.version(),
        SparkEnv.get().shuffleManager().getClass().getName(),
        Math.max(1, executors(context)),
        context.defaultParallelism());
  }

  /** Returns the executors whose block managers have joined; 0 in local mode. */
  static int executors(SparkContext context) {
    return context.getExecutorMemoryStatus().size() - 1;
  }

  private static void answer(LinkedBlockingQueue<String> requests, Writer replies, Requests handler)
      throws IOException, InterruptedException {
    while (true) {
      Request request = LineCodec.request(requests.take());
      Reply reply;
      try {
        reply = handler.answer(request, progress -> send(progress, replies));
      } catch (Exception e) {
        LOG.error("The request failed: {}", request, e);
        reply = new Reply.Failed(text(e));
      }
      send(reply, replies);
      if (request instanceof Request.Stop) {
        return;
      }
    }
  }

  /** Returns the first line of a failure and of its root cause, if any. */
  private static String text(Throwable failure) {
    String text = firstLine(failure);
    return failure.getCause() == null
        ? text
        : text + " (cause: " + firstLine(ExceptionUtils.getRootCause(failure)) + ")";
  }

  private static String firstLine(Throwable failure) {
    String line = failure.toString().lines().findFirst().orElse("");
    return line.length() <= MAX_CHARACTERS ? line : line.substring(0, MAX_CHARACTERS) + "...";
  }

  /** Reads requests during queries, too, to detect the end of the command. */
  private static void read(LinkedBlockingQueue<String> requests) {
    try {
      BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        requests.add(line);
        if (LineCodec.request(line) instanceof Request.Stop) {
          return;
        }
      }
    } catch (IOException e) {
      LOG.info("The command has ended: {}", e.toString());
    }
    Thread.ofPlatform().daemon().name("end").start(BenchmarkApplication::haltSoon);
    System.exit(0);
  }

  /** Ends the process even if Spark cannot stop in time. */
  private static void haltSoon() {
    try {
      Thread.sleep(TIME_TO_STOP);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(1);
  }
}
