// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The symmetric heap: memory that every PE has and others address by (PE, offset).
 *
 * <p>The way in: {@link HeapSizing} says where the heap of this host goes and how long a window is,
 * {@link HeapFolder} opens the application's private folder there, {@link ShmHeap} makes this PE's
 * window in it and maps the others', and {@link SlabAllocator} hands out pieces of the own window,
 * with memory from {@link ShmHeap#backing()}. {@link SymmetricHeap} is what all backends promise.
 */
package io.symshuffle.heap;
