// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cli.CliException;
import io.symshuffle.cli.JsonText;
import io.symshuffle.cli.tune.Bounds.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * How good predictions were: each query's beside what was measured.
 *
 * @param outcome what was measured
 * @param queries the queries of it
 */
record Evaluation(Outcome outcome, List<ComparedQuery> queries) {
  Evaluation {
    requireNonNull(outcome, "outcome is null");
    queries = List.copyOf(queries);
  }

  /**
   * Compares.
   *
   * @param sort the application with sort shuffle, from its log
   * @param ours the one with SymShuffle
   * @param outcome what their runs took
   * @throws CliException if logs and outcome are not of the same run
   */
  static Evaluation of(JobFacts sort, JobFacts ours, Outcome outcome) {
    if (sort.ranOnSymShuffle() || !ours.ranOnSymShuffle()) {
      throw new CliException(
          "The event log of %s must be that of sort shuffle, and that of %s SymShuffle's."
              .formatted(outcome.sortId(), outcome.ourId()));
    }
    List<ComparedQuery> compared = new ArrayList<>();
    for (Outcome.TimedQuery query : outcome.queries()) {
      List<QueryRun> sortRuns = timed(sort, query.name(), outcome, query.sort().size());
      List<QueryRun> ourRuns = timed(ours, query.name(), outcome, query.ours().size());
      QueryPrediction prediction = QueryPrediction.of(query.name(), sortRuns);
      compared.add(
          new ComparedQuery(
              prediction,
              Bounds.of(
                  prediction.expectedSaved(),
                  prediction.atMostSaved(),
                  array(query.sort()),
                  array(query.ours())),
              Bounds.of(
                  prediction.expectedCoreSeconds(),
                  prediction.shuffleCoreSeconds(),
                  cpuSeconds(sortRuns),
                  cpuSeconds(ourRuns))));
    }
    return new Evaluation(outcome, compared);
  }

  /** The runs of a query without its warm-ups, which came first. */
  private static List<QueryRun> timed(JobFacts job, String query, Outcome outcome, int timed) {
    List<QueryRun> runs = job.queries().stream().filter(run -> run.name().equals(query)).toList();
    if (runs.size() != outcome.warmUps() + timed) {
      throw new CliException(
          "Log and outcome are not of the same run: %s ran %d times in the log of %s, and %d times"
                  .formatted(query, runs.size(), job.name(), timed)
              + " after %d warm-ups in the outcome.".formatted(outcome.warmUps()));
    }
    return runs.subList(outcome.warmUps(), runs.size());
  }

  private static double[] array(List<Double> seconds) {
    return seconds.stream().mapToDouble(Double::doubleValue).toArray();
  }

  private static double[] cpuSeconds(List<QueryRun> runs) {
    return runs.stream().mapToDouble(QueryRun::cpuSeconds).toArray();
  }

  /** {@return all queries together} */
  Bounds sum(Function<ComparedQuery, Bounds> which) {
    return queries.stream().map(which).reduce(new Bounds(0, 0, 0, 0, 0), Bounds::plus);
  }

  /** {@return how many queries ended so} */
  long count(Function<ComparedQuery, Bounds> which, Verdict verdict) {
    return queries.stream().filter(query -> which.apply(query).verdict() == verdict).count();
  }

  /** {@return what came of it on the clock, or in time of cores, in sentences} */
  List<String> sentences(Function<ComparedQuery, Bounds> which) {
    Bounds all = sum(which);
    return List.of(
        "All queries together: of %s, %s or more should be saved, and %s at most; %s were."
            .formatted(
                Amounts.hundredths(all.sort()),
                Amounts.hundredths(all.least()),
                Amounts.hundredths(all.most()),
                Amounts.hundredths(all.saved())),
        "Of %d queries %d saved as much as predicted, %d less and %d more; the runs of %d scatter by"
                .formatted(
                    queries.size(),
                    count(which, Verdict.AS_PREDICTED),
                    count(which, Verdict.LESS),
                    count(which, Verdict.MORE),
                    count(which, Verdict.CANNOT_TELL))
            + " more than there is to save, so that they cannot tell. What lies within the scatter,"
            + " or"
            + " %s of a query's time, counts as noise.".formatted(Amounts.percent(Bounds.NOISE)));
  }

  /** {@return the same for programs} */
  Map<String, Object> json() {
    return JsonText.object(
        "measured", outcome.facts(),
        "clock", sentences(ComparedQuery::clock),
        "cores", sentences(ComparedQuery::cores),
        "queries", queries.stream().map(Evaluation::json).toList());
  }

  private static Map<String, Object> json(ComparedQuery query) {
    return JsonText.object(
        "query", query.prediction().name(),
        "runs", query.prediction().runs(),
        "shuffleShare", query.prediction().shuffleShare(),
        "clock", json(query.clock()),
        "cores", json(query.cores()));
  }

  private static Map<String, Object> json(Bounds bounds) {
    return JsonText.object(
        "savedExpectedSeconds", bounds.least(),
        "savedAtMostSeconds", bounds.most(),
        "sortSeconds", bounds.sort(),
        "symshuffleSeconds", bounds.ours(),
        "savedSeconds", bounds.saved(),
        "noiseSeconds", bounds.noise(),
        "verdict", bounds.verdict().toString());
  }
}
