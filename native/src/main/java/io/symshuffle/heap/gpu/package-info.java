// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The heap of GPUs that grows and whose PEs come and go, with the CUDA driver alone.
 *
 * <p>{@link CudaHeap} reserves addresses for the window of each PE and maps memory chunk by chunk.
 * {@link ChunkDirectory} is the file in which a PE lists its chunks. PEs pass descriptors of their
 * memory on with {@link DescriptorServer} and {@link DescriptorClient}.
 */
package io.symshuffle.heap.gpu;
