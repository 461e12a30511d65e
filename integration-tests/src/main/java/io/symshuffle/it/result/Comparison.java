// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.result;

/** Two executions of a query with equal rows. */
public record Comparison(QueryRun ours, QueryRun sparks) {}
