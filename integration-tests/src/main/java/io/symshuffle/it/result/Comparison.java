// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.result;

/**
 * Two executions of a query with equal rows.
 *
 * @param ours with our shuffle
 * @param sparks with Spark's sort shuffle
 */
public record Comparison(QueryRun ours, QueryRun sparks) {}
