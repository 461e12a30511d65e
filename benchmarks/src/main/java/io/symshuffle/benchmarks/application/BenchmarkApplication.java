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
 * The main class of the application: connects to the port that its argument names, says {@link
 * Reply.Ready} once an executor has run a task, and answers requests one after the other. It ends
 * when told to, and when the command line is gone, whatever it does at that moment.
 */
public final class BenchmarkApplication {
  /** The environment variable that holds the word for {@link Reply.Ready}. */
  public static final String TOKEN = "SYMSHUFFLE_BENCHMARK_TOKEN";

  private static final Logger LOG = LoggerFactory.getLogger(BenchmarkApplication.class);
  private static final Duration TIME_TO_STOP = Duration.ofSeconds(10);

  private BenchmarkApplication() {}

  /**
   * Runs until told to stop.
   *
   * @param args the loopback port of the command line
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

  /** Reads ahead of the work, so that the end of the command line is noticed during a query. */
  private static void read(LineChannel channel, LinkedBlockingQueue<String> requests) {
    try {
      String line;
      do {
        line = channel.receive(Duration.ZERO);
        requests.add(line);
      } while (!(LineCodec.request(line) instanceof Request.Stop));
    } catch (IOException e) {
      LOG.info("The command line is gone: {}", e.toString());
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
