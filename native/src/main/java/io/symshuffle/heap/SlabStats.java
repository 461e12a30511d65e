// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

/**
 * The state of a {@link SlabAllocator} at one moment.
 *
 * @param capacityBytes bytes that the allocator manages
 * @param usedBytes bytes in allocated slabs
 * @param freeBytes {@code capacityBytes - usedBytes}
 * @param backedBytes bytes backed by memory, used or retained
 * @param largestFreeBytes the longest free range, in bytes
 * @param slabs number of allocated slabs
 */
public record SlabStats(
    long capacityBytes,
    long usedBytes,
    long freeBytes,
    long backedBytes,
    long largestFreeBytes,
    int slabs) {}
