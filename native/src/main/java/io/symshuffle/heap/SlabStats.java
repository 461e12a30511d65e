// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

/**
 * The state of a {@link SlabAllocator} at one moment.
 *
 * @param capacityBytes bytes that the allocator manages
 * @param usedBytes bytes in allocated slabs
 * @param backedBytes bytes backed by memory, used or retained
 * @param largestFreeBytes the longest free range, in bytes
 */
public record SlabStats(
    long capacityBytes, long usedBytes, long backedBytes, long largestFreeBytes) {}
