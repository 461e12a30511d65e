// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Symmetric heaps: every PE has one window, and other PEs address its memory by (PE, offset).
 *
 * <p>The heap of a host: {@link HeapSizing} chooses its place and the length of a window, {@link
 * HeapFolder} opens the application's private folder there, {@link HostHeap} creates this PE's
 * window in it and maps the windows of other PEs, and {@link SlabAllocator} allocates slabs in this
 * PE's window, with memory from {@link HostHeap#backing()}. When the file system is full, it
 * allocates no slab, and the caller stores its data elsewhere.
 *
 * <p>The heap of GPUs: {@link DeviceHeap}, implemented by {@link NvshmemHeap}, and by {@link
 * CudaHeap}, which grows and whose PEs come and go. PEs pass descriptors of its memory on with
 * {@link DescriptorServer} and {@link DescriptorClient}.
 */
package io.symshuffle.heap;
