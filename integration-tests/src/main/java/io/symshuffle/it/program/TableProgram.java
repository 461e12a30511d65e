// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.program;

import io.symshuffle.it.program.TableCases.Case;
import io.symshuffle.it.record.ExecutorGauges;
import io.symshuffle.it.result.ExecutedPlan;
import io.symshuffle.it.result.RowMultiset;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * An application for {@code spark-submit} with the RAPIDS Accelerator: runs each of {@link
 * TableCases} on the GPUs and then with Spark's operators and sort shuffle.
 *
 * <p>Argument: a folder. It gets a file {@code NAME.txt} per case, whose first line is {@code
 * equal}, the difference of the rows or {@code failed}, followed by the plan of the run on GPUs; a
 * file {@code NAME.counts.txt} per case with the {@link RapidsCounts}; and {@code gauges.txt} with
 * the executors' metrics as {@code name=value}.
 */
public final class TableProgram {
  private static final List<String> ON_GPUS =
      List.of("spark.rapids.sql.enabled", "spark.symshuffle.enabled");

  private TableProgram() {}

  /**
   * Runs the application.
   *
   * @param arguments see above
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
