// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.program;

import io.symshuffle.it.wait.Await;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.apache.spark.ExecutorAllocationClient;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.function.ForeachFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.scheduler.ExecutorDecommissionInfo;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.util.LongAccumulator;
import scala.Option;

/**
 * An application for {@code spark-submit} on several hosts. For each line of its input, it does
 * what the first word says and prints {@code answer=... of <line>}. Ends with its input, or at the
 * line {@code end}.
 *
 * <ul>
 *   <li>{@code ours}, {@code sort}: repartitions and joins rows with SymShuffle or sort shuffle
 *   <li>{@code keep}: repartitions rows with SymShuffle, half of the map tasks without any
 *   <li>{@code read}: reads the map outputs of {@code keep} again, and prints after the answer how
 *       many rows were computed for that
 *   <li>{@code barrier}: calls collectives in a barrier stage with a task per executor, and prints
 *       those with a wrong result
 *   <li>{@code decommission HOST}: decommissions the executor of a host and waits until it is
 *       replaced by another one
 * </ul>
 */
public final class HostsProgram {

  private final SparkSession session;
  private final long count;
  private final int executors;
  private final LongAccumulator computed;
  private JavaRDD<Long> kept;

  private HostsProgram(SparkSession session, long count, int executors) {
    this.session = session;
    this.count = count;
    this.executors = executors;
    this.computed = session.sparkContext().longAccumulator("computed");
  }

  /**
   * Runs the application.
   *
   * @param arguments the number of rows and the number of executors
   * @throws IOException if the input cannot be read
   */
  public static void main(String[] arguments) throws IOException {
    long count = Long.parseLong(arguments[0]);
    int executors = Integer.parseInt(arguments[1]);
    try (SparkSession session = SparkSession.builder().getOrCreate();
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      // The driver is in this list, too.
      while (session.sparkContext().statusTracker().getExecutorInfos().length < executors + 1) {
        session.range(0, 100, 1, 4).foreach((ForeachFunction<Long>) HostsProgram::nothing);
      }
      HostsProgram program = new HostsProgram(session, count, executors);
      System.out.println("ready");
      for (String line = lines.readLine();
          line != null && !line.equals("end");
          line = lines.readLine()) {
        System.out.printf("answer=%s of %s%n", program.answer(line.split(" ", -1)), line);
      }
    }
  }

  private static void nothing(Long number) {}

  private String answer(String[] words) {
    session.conf().set("spark.symshuffle.enabled", Boolean.toString(!words[0].equals("sort")));
    return switch (words[0]) {
      case "ours", "sort" -> joined().toString();
      case "keep" -> {
        LongAccumulator rows = computed;
        kept =
            session
                .range(0, count, 1, 8)
                .map(
                    (MapFunction<Long, Long>)
                        number -> {
                          rows.add(1);
                          return number;
                        },
                    Encoders.LONG())
                .filter("value < " + count / 2)
                .repartition(8)
                .javaRDD();
        yield sum();
      }
      case "read" -> {
        long before = computed.value();
        yield sum() + ", computed again: " + (computed.value() - before);
      }
      case "barrier" -> {
        long seed = System.nanoTime();
        String wrong =
            String.join(
                "",
                BarrierStage.run(
                    session.sparkContext(),
                    executors,
                    String.class,
                    task -> RandomCollectives.run(task, seed, 256 << 10, 60)));
        yield wrong.isEmpty() ? "right" : "seed " + seed + ": " + wrong;
      }
      case "decommission" -> decommission(words[1]);
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  private String sum() {
    return Long.toString(kept.reduce(Long::sum));
  }

  private String decommission(String host) {
    String executor =
        executorOn(host).orElseThrow(() -> new IllegalArgumentException("no executor on " + host));
    ExecutorAllocationClient client =
        (ExecutorAllocationClient) session.sparkContext().schedulerBackend();
    if (!client.decommissionExecutor(
        executor, new ExecutorDecommissionInfo("the test", Option.empty()), false, false)) {
      throw new IllegalStateException("executor " + executor + " is not decommissioned");
    }
    Await.until(
        "executor " + executor + " is replaced",
        () -> executorOn(host).filter(other -> !other.equals(executor)).isPresent());
    return executor;
  }

  private static Optional<String> executorOn(String host) {
    return Arrays.stream(SparkEnv.get().blockManager().master().getStorageStatus())
        .map(status -> status.blockManagerId())
        .filter(id -> id.host().equals(host))
        .map(BlockManagerId::executorId)
        .findFirst();
  }

  private Row joined() {
    Dataset<Row> rows =
        session
            .range(0, count, 1, 4)
            .selectExpr(
                "id k", "id * 7 v", "cast(id AS double) / 3 d", "concat('row-', id % 1000) s")
            .repartition(8);
    Dataset<Row> others = session.range(0, count / 4, 1, 4).selectExpr("id * 4 k", "id % 100 g");
    return rows.join(others.hint("merge"), "k")
        .selectExpr("count(*)", "sum(hash(k, v, d, s, g))")
        .first();
  }
}
