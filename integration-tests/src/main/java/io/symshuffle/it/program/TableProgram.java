// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.program;

import static org.apache.spark.sql.functions.col;

import io.symshuffle.it.program.TableCases.Case;
import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.record.RowChecksums;
import io.symshuffle.it.result.ExecutedPlan;
import io.symshuffle.it.result.RowMultiset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.SparkEnv;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import scala.jdk.javaapi.CollectionConverters;

/**
 * An application for {@code spark-submit} with the RAPIDS Accelerator: runs each of {@link
 * TableCases} on the GPUs and then with Spark's operators and sort shuffle.
 *
 * <p>Argument: a folder. It gets a file {@code NAME.txt} per case, whose first line is {@code
 * equal}, the difference of the rows or {@code failed}, followed by the plan of the run on GPUs; a
 * file {@code NAME.counts.txt} per case with the {@link RapidsCounts}; {@code gauges.txt} with the
 * executors' metrics as {@code name=value}; and {@code checksums.txt} with the sorted row checksums
 * of map outputs: of rows in two orders, and with another value in one row.
 */
public final class TableProgram {
  private static final List<String> ON_GPUS =
      List.of("spark.rapids.sql.enabled", "spark.symshuffle.enabled");

  private TableProgram() {}

  /**
   * Runs the application.
   *
   * @throws IOException if a file cannot be written
   */
  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[0]);
    try (SparkSession session = SparkSession.builder().getOrCreate()) {
      RapidsCounts counts = new RapidsCounts(session.sparkContext());
      for (Case each : TableCases.all()) {
        Files.writeString(folder.resolve(each.name() + ".txt"), outcome(session, each));
        Files.writeString(folder.resolve(each.name() + ".counts.txt"), counts.take());
      }
      Files.write(
          folder.resolve("checksums.txt"),
          List.of(
              rowChecksums(session, 0, 4000, 1, "row"),
              rowChecksums(session, 3999, -1, -1, "row"),
              rowChecksums(session, 0, 4000, 1, "changed")));
      ExecutorGauges gauges = ExecutorGauges.of(session.sparkContext(), 2, 6);
      StringBuilder lines = new StringBuilder();
      gauges.byExecutor().values().stream()
          .flatMap(metrics -> metrics.keySet().stream())
          .distinct()
          .sorted()
          .forEach(name -> lines.append("%s=%d%n".formatted(name, gauges.sum(name))));
      Files.writeString(folder.resolve("gauges.txt"), lines);
    }
  }

  /** Repartitions rows of 4 map tasks; {@code word} is in the row with ID 1234. */
  private static String rowChecksums(
      SparkSession application, long start, long end, long step, String word) {
    SparkSession session = application.newSession();
    ON_GPUS.forEach(name -> session.conf().set(name, "true"));
    session
        .range(start, end, step, 4)
        .selectExpr(
            "id",
            "id % 97 as k",
            "concat(if(id = 1234, '" + word + "', 'row'), ' ', cast(id as string)) as s",
            "if(id % 5 = 0, null, id * 0.5D) as d")
        .repartition(7, col("k"))
        .collectAsList();
    MapOutputTrackerMaster tracker = (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
    int last =
        CollectionConverters.asJava(tracker.shuffleStatuses().keySet()).stream()
            .mapToInt(id -> (int) id)
            .max()
            .orElseThrow();
    ShuffleStatus status = tracker.shuffleStatuses().apply(last);
    return Arrays.stream(status.mapStatuses())
        .mapToLong(RowChecksums::of)
        .mapToObj(Long::toHexString)
        .sorted()
        .collect(Collectors.joining(" "));
  }

  private static String outcome(SparkSession application, Case each) {
    SparkSession session = application.newSession();
    TableCases.createViews(session);
    each.settings().forEach(session.conf()::set);
    try {
      Dataset<Row> onGpus = run(session, each, true);
      List<Row> found = onGpus.collectAsList();
      String plan = ExecutedPlan.of(onGpus).toString();
      session.catalog().clearCache();
      List<Row> expected = run(session, each, false).collectAsList();
      String difference =
          RowMultiset.of(found).difference(RowMultiset.of(expected), 0).orElse("equal");
      if (each.name().equals("sort") && !found.equals(expected)) {
        difference = "in a different order";
      }
      return difference + "\n" + plan;
    } catch (Exception e) {
      // Spark throws checked exceptions without declaring them.
      return "failed: " + e + "\n";
    } finally {
      session.catalog().clearCache();
    }
  }

  private static Dataset<Row> run(SparkSession session, Case each, boolean onGpus) {
    ON_GPUS.forEach(name -> session.conf().set(name, Boolean.toString(onGpus)));
    return each.dataset(session);
  }
}
