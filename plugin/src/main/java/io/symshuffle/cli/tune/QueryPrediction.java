// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What SymShuffle could take away from one query; all numbers are medians over its runs.
 *
 * @param name of the query
 * @param runs how many there were
 * @param seconds that it took
 * @param shuffleShare of its tasks' time that was shuffle, 0 to 1
 * @param atMostSaved seconds, if shuffles cost nothing at all
 * @param expectedSaved seconds that should at least be saved
 * @param shuffleCoreSeconds the part of its tasks' time that was shuffle, at most
 * @param expectedCoreSeconds what of that should at least be saved
 */
record QueryPrediction(
    String name,
    int runs,
    double seconds,
    double shuffleShare,
    double atMostSaved,
    double expectedSaved,
    double shuffleCoreSeconds,
    double expectedCoreSeconds) {
  QueryPrediction {
    requireNonNull(name, "name is null");
  }

  /**
   * {@return the prediction for a query}
   *
   * @param name of the query
   * @param runs of it, at least one
   */
  static QueryPrediction of(String name, List<QueryRun> runs) {
    List<Prediction> each =
        runs.stream().map(run -> new Prediction(run.seconds(), run.stages())).toList();
    return new QueryPrediction(
        name,
        runs.size(),
        median(each, Prediction::seconds),
        median(each, Prediction::shuffleShare),
        median(each, Prediction::atMostSaved),
        median(each, Prediction::expectedSaved),
        median(each, Prediction::shuffleSeconds),
        median(each, Prediction::expectedCoreSeconds));
  }

  /** {@return one prediction for each name, in the order in which they first ran} */
  static List<QueryPrediction> ofAll(List<QueryRun> runs) {
    List<QueryPrediction> predictions = new ArrayList<>();
    byName(runs).forEach((name, same) -> predictions.add(of(name, same)));
    return predictions;
  }

  /** {@return the runs of each name, in the order in which they ran} */
  static Map<String, List<QueryRun>> byName(List<QueryRun> runs) {
    Map<String, List<QueryRun>> byName = new LinkedHashMap<>();
    for (QueryRun run : runs) {
      byName.computeIfAbsent(run.name(), name -> new ArrayList<>()).add(run);
    }
    return byName;
  }

  /** {@return seconds of all runs together, as far as the median tells} */
  double allSeconds() {
    return runs * seconds;
  }

  private static double median(List<Prediction> each, ToDoubleFunction<Prediction> value) {
    return median(each.stream().mapToDouble(value).toArray());
  }

  /** {@return the middle value; of an even number of values, the mean of the middle two} */
  static double median(double... values) {
    if (values.length == 0) {
      throw new IllegalArgumentException("there is no median of no values");
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
