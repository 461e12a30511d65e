// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.measure;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** A report that compares managers by jobs or queries. Its counts are part of the JSON report. */
public interface Comparison {
  /** An outcome per job or query. */
  List<Outcome> outcomes();

  /** Number of outcomes whose rows differ between managers. */
  @JsonProperty
  default long differing() {
    return outcomes().stream().filter(outcome -> !outcome.same()).count();
  }

  /** Number of outcomes with at least one manager that failed. */
  @JsonProperty
  default long failed() {
    return outcomes().stream().filter(outcome -> !outcome.succeeded()).count();
  }

  /** Whether everything ran and gave the same rows. */
  @JsonIgnore
  default boolean good() {
    return differing() == 0 && failed() == 0;
  }
}
