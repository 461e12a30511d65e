// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.symshuffle.benchmarks.report.RunInfo;

/**
 * The results of a soak.
 *
 * @param interrupted whether it was ended before its time
 */
record ChaosReport(
    RunInfo info,
    long seed,
    double seconds,
    boolean interrupted,
    @JsonUnwrapped ChaosCounts counts) {}
