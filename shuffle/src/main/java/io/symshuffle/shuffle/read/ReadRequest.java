// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

/**
 * The input of one reduce task: partitions {@code startPartition} to {@code endPartition - 1} of
 * map tasks {@code startMap} to {@code endMap - 1}.
 *
 * @param endMap {@code Integer.MAX_VALUE} for all map tasks from {@code startMap} on
 */
public record ReadRequest(
    int shuffleId, int startMap, int endMap, int startPartition, int endPartition) {}
