// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.curve;

import com.fasterxml.jackson.databind.JsonNode;
import io.symshuffle.benchmarks.curve.CurveReport.Bandwidth;
import io.symshuffle.benchmarks.curve.CurveReport.Curve;
import io.symshuffle.benchmarks.curve.CurveReport.JobTimes;
import io.symshuffle.benchmarks.curve.CurveReport.Point;
import io.symshuffle.benchmarks.curve.CurveReport.Source;
import io.symshuffle.benchmarks.report.Figures;
import io.symshuffle.benchmarks.report.JsonFile;
import io.symshuffle.cli.CliException;
import io.symshuffle.cli.Failures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Combines reports. Used by one thread, once. */
final class CurveReader {
  private final List<Source> sources = new ArrayList<>();
  private final Map<String, TreeMap<Integer, Map<String, JobTimes>>> curves = new LinkedHashMap<>();
  private final Map<String, List<String>> managers = new LinkedHashMap<>();
  private final List<Bandwidth> bandwidths = new ArrayList<>();

  private CurveReader() {}

  /**
   * Reads reports.
   *
   * @param paths files, or folders with files that end in {@code .json}; others are skipped
   * @throws CliException if a file cannot be read, or there is no report
   */
  static CurveReport read(List<Path> paths) {
    CurveReader reader = new CurveReader();
    for (Path path : paths) {
      for (Path file : files(path)) {
        reader.add(file);
      }
    }
    if (reader.sources.isEmpty()) {
      throw CliException.wrongUsage(
          "There is no JSON report of demo, bench tpcds, bench shuffle or bench alltoall in %s."
              .formatted(String.join(", ", paths.stream().map(Path::toString).toList())));
    }
    return reader.report();
  }

  private static List<Path> files(Path path) {
    if (!Files.isDirectory(path)) {
      return List.of(path);
    }
    try (Stream<Path> files = Files.list(path)) {
      return files.filter(file -> file.toString().endsWith(".json")).sorted().toList();
    } catch (IOException e) {
      throw cannotRead(path, e);
    }
  }

  private static CliException cannotRead(Path path, IOException e) {
    return new CliException("Cannot read %s: %s.".formatted(path, Failures.reason(e)), e);
  }

  private void add(Path file) {
    JsonNode report;
    try {
      report = JsonFile.tree(file);
    } catch (IOException e) {
      throw cannotRead(file, e);
    }
    boolean compares = report.has("results") && report.has("managers") && report.has("plan");
    boolean exchanges = report.path("operation").asText().equals("alltoall");
    if (!compares && !exchanges) {
      return;
    }
    JsonNode info = report.path("info");
    sources.add(
        new Source(
            String.valueOf(file.getFileName()),
            exchanges || report.path("complete").asBoolean(),
            info.path("commandLine").asText(),
            info.path("started").asText(),
            info.path("symshuffleVersion").asText()));
    if (exchanges) {
      addBandwidths(report);
    } else {
      addResults(report);
    }
  }

  private void addBandwidths(JsonNode report) {
    long largest = 0;
    for (JsonNode measurement : report.path("measurements")) {
      largest = Math.max(largest, measurement.path("bytes").asLong());
    }
    for (JsonNode measurement : report.path("measurements")) {
      if (measurement.path("bytes").asLong() == largest) {
        bandwidths.add(
            new Bandwidth(
                report.path("pes").asInt(),
                measurement.path("method").asText(),
                largest,
                measurement.path("busGBps").asDouble()));
      }
    }
  }

  private void addResults(JsonNode report) {
    JsonNode plan = report.path("plan");
    String title =
        plan.path("title").asText()
            + (plan.path("hosts").asInt() == 0 ? "" : " on %s hosts".formatted(plan.path("hosts")))
            + (plan.path("oneAtATime").asBoolean()
                ? ", one application at a time"
                : ", applications at once");
    List<String> own = new ArrayList<>();
    report.path("managers").forEach(manager -> own.add(manager.asText()));
    managers.computeIfAbsent(title, key -> new ArrayList<>(own)).retainAll(own);
    Map<String, JobTimes> jobs =
        curves
            .computeIfAbsent(title, key -> new TreeMap<>())
            .computeIfAbsent(
                report.path("info").path("executors").asInt(), key -> new LinkedHashMap<>());
    Set<String> names = new HashSet<>();
    boolean several = false;
    for (JsonNode result : report.path("results")) {
      several |= !names.add(name(result, false));
    }
    for (JsonNode result : report.path("results")) {
      jobs.merge(name(result, several), times(name(result, several), result), CurveReader::both);
    }
  }

  /** The number of partitions is part of a name only if a job ran with several. */
  private static String name(JsonNode result, boolean withPartitions) {
    String rate = result.path("rate").asText();
    long rows = result.path("rows").asLong();
    return (rate.isEmpty() ? "" : rate + " ")
        + result.path("job").asText()
        + (rows == 0 ? "" : ", " + Figures.count(rows) + " rows")
        + (withPartitions ? ", " + result.path("partitions").asInt() + " partitions" : "");
  }

  private static JobTimes times(String name, JsonNode result) {
    Map<String, List<Double>> seconds = new LinkedHashMap<>();
    Map<String, Double> shares = new LinkedHashMap<>();
    List<String> problems = new ArrayList<>();
    JsonNode outcome = result.path("outcome");
    if (!outcome.path("difference").asText().isEmpty()) {
      problems.add(outcome.path("difference").asText());
    }
    for (JsonNode entry : outcome.path("entries")) {
      String manager = entry.path("manager").asText();
      List<Double> runs = new ArrayList<>();
      entry.path("seconds").forEach(run -> runs.add(run.asDouble()));
      seconds.put(manager, runs);
      JsonNode figures = entry.path("figures");
      double all = figures.path("runSeconds").asDouble();
      if (all > 0) {
        double exchange =
            figures.path("writeSeconds").asDouble() + figures.path("fetchWaitSeconds").asDouble();
        shares.put(manager, exchange / all);
      }
      if (!entry.path("failure").asText().isEmpty()) {
        problems.add(manager + ": " + entry.path("failure").asText());
      }
    }
    return new JobTimes(name, seconds, shares, problems);
  }

  /** The runs of two reports; shares are those of the first, as far as it has them. */
  private static JobTimes both(JobTimes one, JobTimes other) {
    Map<String, List<Double>> seconds = new LinkedHashMap<>(one.seconds());
    other
        .seconds()
        .forEach(
            (manager, runs) ->
                seconds.merge(
                    manager,
                    runs,
                    (first, second) -> Stream.of(first, second).flatMap(List::stream).toList()));
    Map<String, Double> shares = new LinkedHashMap<>(other.exchangeShare());
    shares.putAll(one.exchangeShare());
    return new JobTimes(
        one.job(),
        seconds,
        shares,
        Stream.of(one.problems(), other.problems()).flatMap(List::stream).toList());
  }

  private CurveReport report() {
    return new CurveReport(
        sources,
        curves.entrySet().stream().map(curve -> curve(curve.getKey(), curve.getValue())).toList(),
        bandwidths);
  }

  private Curve curve(String title, Map<Integer, Map<String, JobTimes>> byGpus) {
    List<String> compared = managers.get(title);
    List<Point> points =
        byGpus.entrySet().stream()
            .map(point -> new Point(point.getKey(), List.copyOf(point.getValue().values())))
            .toList();
    List<String> common =
        points.getFirst().jobs().stream()
            .map(JobTimes::job)
            .filter(
                name ->
                    points.stream()
                        .allMatch(
                            point ->
                                point.jobs().stream()
                                    .anyMatch(
                                        job -> job.job().equals(name) && job.ranWith(compared))))
            .toList();
    return new Curve(title, compared, common, points);
  }
}
