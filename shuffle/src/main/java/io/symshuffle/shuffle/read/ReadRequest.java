// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

/**
 * What one reduce task reads: partitions {@code startPartition} to {@code endPartition - 1} of map
 * tasks {@code startMap} to {@code endMap - 1}.
 *
 * @param endMap {@code Integer.MAX_VALUE} for all that follow
 */
public record ReadRequest(
    int shuffleId, int startMap, int endMap, int startPartition, int endPartition) {}
