// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Symmetric heaps: every PE has one window, and other PEs address its memory by (PE, offset).
 *
 * <p>What all heaps share: {@link SlabAllocator} allocates slabs in this PE's window, with memory
 * that a {@link SlabBacking} reserves chunk by chunk. When there is no more, it allocates no slab,
 * and the caller stores its data elsewhere. {@link DeviceHeap} is a heap in GPU memory.
 *
 * <p>Packages: {@code folder} has the application's private folder and the files in it, {@code
 * host} the heap of a host, and {@code gpu} the heap of GPUs that grows and whose PEs come and go.
 * The heap of GPUs that needs NVSHMEM is in {@code io.symshuffle.nvshmem}.
 */
package io.symshuffle.heap;
