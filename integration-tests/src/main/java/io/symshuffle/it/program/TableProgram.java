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
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.scheduler.AccumulableInfo;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import scala.jdk.javaapi.CollectionConverters;

/**
 * An application for {@code spark-submit} with the RAPIDS Accelerator: runs each of {@link
 * TableCases} on the GPUs and then with Spark's own operators and shuffle.
 *
 * <p>Arguments: a folder. It gets a file {@code NAME.txt} a case: in the first line {@code equal},
 * or how the rows differ, or {@code failed}; the plan of the run on GPUs behind it. {@code
 * gauges.txt} has the executors' metrics, {@code name=value}, {@code stages.txt} what RAPIDS
 * counted.
 */
public final class TableProgram {
  private static final List<String> ON_GPUS =
      List.of("spark.rapids.sql.enabled", "spark.symshuffle.enabled");

  private TableProgram() {}

  /**
   * The application.
   *
   * @param arguments see above
   * @throws IOException if a file cannot be written
   */
  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[0]);
    try (SparkSession session = SparkSession.builder().getOrCreate()) {
      RapidsCounts counts = new RapidsCounts();
      session.sparkContext().addSparkListener(counts);
      for (Case each : TableCases.all()) {
        Files.writeString(folder.resolve(each.name() + ".txt"), outcome(session, each));
      }
      ExecutorGauges gauges = ExecutorGauges.of(session.sparkContext(), 2, 6);
      StringBuilder lines = new StringBuilder();
      gauges.byExecutor().values().stream()
          .flatMap(metrics -> metrics.keySet().stream())
          .distinct()
          .sorted()
          .forEach(name -> lines.append("%s=%d%n".formatted(name, gauges.sum(name))));
      Files.writeString(folder.resolve("gauges.txt"), lines);
      Files.writeString(folder.resolve("stages.txt"), counts.toString());
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
      session.catalog().clearCache();
      String difference =
          RowMultiset.of(found).difference(RowMultiset.of(expected), 0).orElse("equal");
      if (each.name().equals("sort") && !found.equals(expected)) {
        difference = "in another order";
      }
      return difference + "\n" + plan;
    } catch (RuntimeException e) {
      return "failed: " + e + "\n";
    }
  }

  private static Dataset<Row> run(SparkSession session, Case each, boolean onGpus) {
    ON_GPUS.forEach(name -> session.conf().set(name, Boolean.toString(onGpus)));
    return each.dataset(session);
  }

  /** Sums of RAPIDS' counts of retries and spills. */
  private static final class RapidsCounts extends SparkListener {
    private final Map<String, Long> sums = new TreeMap<>();

    @Override
    public synchronized void onStageCompleted(SparkListenerStageCompleted stage) {
      for (AccumulableInfo info :
          CollectionConverters.asJava(stage.stageInfo().accumulables()).values()) {
        String name = info.name().isDefined() ? info.name().get() : "";
        if ((name.contains("etry") || name.contains("pill")) && info.value().isDefined()) {
          if (info.value().get() instanceof Number number) {
            sums.merge(name, number.longValue(), Long::sum);
          } else {
            sums.merge(name + " " + info.value().get(), 1L, Long::sum);
          }
        }
      }
    }

    @Override
    public synchronized String toString() {
      StringBuilder lines = new StringBuilder();
      sums.forEach((name, sum) -> lines.append("%s=%d%n".formatted(name, sum)));
      return lines.toString();
    }
  }
}
