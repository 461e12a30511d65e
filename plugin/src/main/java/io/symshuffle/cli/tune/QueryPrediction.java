// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * How much time SymShuffle could save in one query; all numbers are medians over its runs.
 *
 * @param shuffleShare of its tasks' time that was shuffle, 0 to 1
 * @param expectedSaved seconds that should at least be saved
 */
@JsonPropertyOrder({"query", "runs", "seconds", "shuffleShare"})
record QueryPrediction(
    @JsonProperty("query") String name,
    int runs,
    double seconds,
    double shuffleShare,
    @JsonProperty("savedAtMostSeconds") double atMostSaved,
    @JsonProperty("savedExpectedSeconds") double expectedSaved) {

  /** Returns one prediction per name, in the order of their first runs. */
  static List<QueryPrediction> ofAll(List<QueryRun> runs) {
    Map<String, List<Prediction>> byName = new LinkedHashMap<>();
    for (QueryRun run : runs) {
      byName
          .computeIfAbsent(run.name(), name -> new ArrayList<>())
          .add(new Prediction(run.seconds(), run.stages()));
    }
    return byName.entrySet().stream().map(e -> of(e.getKey(), e.getValue())).toList();
  }

  private static QueryPrediction of(String name, List<Prediction> runs) {
    return new QueryPrediction(
        name,
        runs.size(),
        median(runs, Prediction::seconds),
        median(runs, Prediction::shuffleShare),
        median(runs, Prediction::atMostSaved),
        median(runs, Prediction::expectedSaved));
  }

  /** Returns an estimate of the seconds that all runs took together. */
  double allSeconds() {
    return runs * seconds;
  }

  /** The middle value; of an even number of values, the mean of the middle two. */
  private static double median(List<Prediction> runs, ToDoubleFunction<Prediction> value) {
    double[] sorted = runs.stream().mapToDouble(value).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
