// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import io.symshuffle.benchmarks.protocol.LineChannel;
import io.symshuffle.benchmarks.protocol.LineCodec;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.benchmarks.protocol.Request;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.SparkSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The main class of the application. It connects to the port in its argument, sends {@link
 * Reply.Ready} once an executor has run a task, and answers one request at a time. It ends on
 * {@link Request.Stop}, and immediately when the command has ended.
 */
public final class BenchmarkApplication {
  /** The environment variable with the token for {@link Reply.Ready}. */
  public static final String TOKEN = "SYMSHUFFLE_BENCHMARK_TOKEN";

  private static final Logger LOG = LoggerFactory.getLogger(BenchmarkApplication.class);
  private static final Duration TIME_TO_STOP = Duration.ofSeconds(50);

  private BenchmarkApplication() {}

  /**
   * Runs until {@link Request.Stop}.
   *
   * @param args the loopback port of the command
   * @throws Exception if Spark does not start, or the connection breaks
   */
  public static void main(String[] args) throws Exception {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
    try (LineChannel channel = new LineChannel(socket);
        SparkSession spark = SparkSession.builder().getOrCreate()) {
      LinkedBlockingQueue<String> requests = new LinkedBlockingQueue<>();
      Thread.ofPlatform().daemon().name("requests").start(() -> read(channel, requests));
      channel.send(LineCodec.line(ready(spark)));
      answer(channel, requests, new Requests(spark, new ShuffleMeter(spark.sparkContext())));
    }
  }

  private static Reply.Ready ready(SparkSession spark) {
    SparkContext context = spark.sparkContext();
    spark.range(context.defaultParallelism()).toDF().javaRDD().count();
    int executors = Math.max(1, context.getExecutorMemoryStatus().size() - 1);
    return new Reply.Ready(
        System.getenv(TOKEN),
        context.applicationId(),
        spark.version(),
        SparkEnv.get().shuffleManager().getClass().getName(),
        executors,
        context.defaultParallelism());
  }

  private static void answer(
      LineChannel channel, LinkedBlockingQueue<String> requests, Requests handler)
      throws IOException, InterruptedException {
    while (true) {
      Request request = LineCodec.request(requests.take());
      Reply reply;
      try {
        reply =
            handler.answer(request, progress -> channel.send(LineCodec.line((Record) progress)));
      } catch (Exception e) {
        LOG.error("The request failed: {}", request, e);
        reply = new Reply.Failed(FailureText.of(e));
      }
      channel.send(LineCodec.line((Record) reply));
      if (request instanceof Request.Stop) {
        return;
      }
    }
  }

  /** Reads requests during queries, too, to detect the end of the command. */
  private static void read(LineChannel channel, LinkedBlockingQueue<String> requests) {
    try {
      String line;
      do {
        line = channel.receive(Duration.ZERO);
        requests.add(line);
      } while (!(LineCodec.request(line) instanceof Request.Stop));
    } catch (IOException e) {
      LOG.info("The command has ended: {}", e.toString());
      Thread.ofPlatform().daemon().name("end").start(BenchmarkApplication::haltSoon);
      System.exit(0);
    }
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
