// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.comparison;

import io.symshuffle.benchmarks.measure.Entry;
import io.symshuffle.benchmarks.measure.Outcome;
import io.symshuffle.benchmarks.protocol.Request;
import io.symshuffle.benchmarks.protocol.ShuffleFigures;
import io.symshuffle.benchmarks.report.Machine;
import io.symshuffle.benchmarks.report.RunInfo;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Reports with made-up numbers, the same each time. */
final class SampleReports {
  static final List<String> MANAGERS = List.of("sort", "symshuffle");
  private static final long MIB = 1 << 20;

  private SampleReports() {}

  static Report good() {
    Random random = new Random(7);
    return of(
        IntStream.rangeClosed(1, 22)
            .mapToObj(
                number -> {
                  double sort = 0.4 + 6 * random.nextDouble();
                  double symshuffle = sort / (0.95 + random.nextDouble());
                  long bytes = (long) (400 * MIB * random.nextDouble() * random.nextDouble());
                  return new Outcome(
                      "q" + number,
                      List.of(
                          entry("sort", sort, bytes, sort / 5),
                          entry("symshuffle", symshuffle, bytes * 2, symshuffle / 20)),
                      "",
                      false,
                      3);
                })
            .toList());
  }

  static Report bad() {
    return of(
        List.of(
            new Outcome(
                "q1",
                List.of(entry("sort", 2, MIB, 0.1), entry("symshuffle", 1, MIB, 0.1)),
                "1 of 4 rows differ (row)\n  sort: A|<F>\n  symshuffle: A|<G>",
                false,
                3),
            failed("q2", "", "org.apache.spark.SparkException: Job aborted & gone")));
  }

  /** Returns the outcome of a query that took this many seconds with each manager. */
  static Outcome outcome(String name, double sort, double symshuffle) {
    return new Outcome(
        name,
        List.of(entry("sort", sort, MIB, 0.1), entry("symshuffle", symshuffle, MIB, 0.1)),
        "",
        false,
        3);
  }

  /** Returns the outcome of a query with the runs of two starts of each application. */
  static Outcome startedTwice(String name, double sort, double symshuffle) {
    return new Outcome(
        name,
        outcome(name, sort, symshuffle).entries().stream()
            .map(
                entry ->
                    new Entry(
                        entry.manager(),
                        Collections.nCopies(6, entry.median()),
                        entry.rows(),
                        entry.figures(),
                        ""))
            .toList(),
        "",
        false,
        3);
  }

  /** Returns the outcome of a query that has run with the first manager only. */
  static Outcome firstOnly(String name, double sort) {
    return new Outcome(
        name,
        List.of(
            entry("sort", sort, MIB, 0.1),
            new Entry("symshuffle", List.of(), 0, ShuffleFigures.NONE, "")),
        "",
        false,
        3);
  }

  /** Returns the outcome of a query that failed for these reasons; empty for no failure. */
  static Outcome failed(String name, String sort, String symshuffle) {
    return new Outcome(
        name,
        List.of(failedUnlessEmpty("sort", sort), failedUnlessEmpty("symshuffle", symshuffle)),
        "",
        false,
        3);
  }

  private static Entry failedUnlessEmpty(String manager, String failure) {
    return failure.isEmpty()
        ? entry(manager, 2, MIB, 0.1)
        : new Entry(manager, List.of(), 0, ShuffleFigures.NONE, failure);
  }

  /** The report of a suite with these outcomes. */
  static Report of(List<Outcome> outcomes) {
    return new Report(
        info(),
        plan(List.of(), outcomes.stream().map(Outcome::name).toList()),
        MANAGERS,
        null,
        outcomes.stream()
            .map(outcome -> new Result("", outcome.name(), 0, 0, outcome, null, List.of()))
            .toList(),
        "");
  }

  /** The plan of a suite with these queries on links of these rates. */
  static Plan plan(List<String> rates, List<String> queries) {
    return plan(
        "demo",
        "query",
        rates,
        queries.stream().map(query -> Job.query(query, "select 1", Optional.empty())).toList());
  }

  /** The plan of a benchmark with this case, for each number of partitions. */
  static Plan cases(String name, int... partitions) {
    return plan(
        "bench shuffle",
        "case",
        List.of(),
        IntStream.of(partitions)
            .mapToObj(
                number ->
                    new Job(
                        name,
                        10,
                        number,
                        file -> new Request.Clean(),
                        Optional.empty(),
                        Optional.of(file -> new Request.Clean()),
                        false))
            .toList());
  }

  /** The plan of a suite whose applications start twice. */
  static Plan startedTwice(String... queries) {
    return plan(
        "demo",
        "query",
        List.of(),
        2,
        Stream.of(queries).map(query -> Job.query(query, "select 1", Optional.empty())).toList());
  }

  private static Plan plan(String command, String noun, List<String> rates, List<Job> jobs) {
    return plan(command, noun, rates, 1, jobs);
  }

  private static Plan plan(
      String command, String noun, List<String> rates, int starts, List<Job> jobs) {
    return new Plan(
        command,
        "TPC-H at scale 1",
        noun,
        1,
        rates.size(),
        rates,
        1,
        3,
        starts,
        "busy",
        Optional.empty(),
        jobs);
  }

  static RunInfo info() {
    return new RunInfo(
        "2026-01-02T03:04:05Z",
        "bin/symshuffle demo --queries q1,q2 --master local-cluster\\[2\\,1\\,2048\\]",
        List.of("app-20260102030405-0000", "app-20260102030405-0001"),
        "local-cluster[2,1,2048]",
        2,
        2,
        "4.2.0",
        "0.1.0-SNAPSHOT (commit 0123456)",
        "25.0.3+9-LTS, Eclipse Adoptium",
        new Machine("A Processor 9000 @ 2.10GHz", 2, 24L << 30, "Linux 6.18.0"),
        Map.of("spark.locality.wait", "0s"));
  }

  private static Entry entry(String manager, double seconds, long bytes, double writing) {
    return new Entry(
        manager,
        List.of(seconds * 1.1, seconds, seconds * 0.9),
        17_842,
        new ShuffleFigures(3, 20, bytes, 1000, writing, bytes, writing / 3, seconds * 2, 0, 0),
        "");
  }
}
