// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

/**
 * The state of a {@link SlabAllocator} at one moment.
 *
 * @param capacityBytes bytes that it manages
 * @param usedBytes bytes in slabs that are handed out
 * @param freeBytes bytes that are not: {@code capacityBytes - usedBytes}
 * @param backedBytes bytes with memory behind them, used or retained after use
 * @param largestFreeBytes the largest slab that fits, as long as its memory can be had
 * @param slabs number of slabs handed out
 */
public record SlabStats(
    long capacityBytes,
    long usedBytes,
    long freeBytes,
    long backedBytes,
    long largestFreeBytes,
    int slabs) {}
