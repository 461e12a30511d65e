// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * NVSHMEM's host side: one process per PE, one PE per GPU.
 *
 * <p>{@link io.symshuffle.nvshmem.NvshmemSearch} finds a {@link
 * io.symshuffle.nvshmem.NvshmemLibrary}, usable or absent with a reason. {@link
 * io.symshuffle.nvshmem.NvshmemRuntime} calls it on one owner thread with timeouts, since NVSHMEM
 * blocks forever if a PE is missing and ends the process on misuse. {@code NvshmemApi} binds the
 * functions and does nothing else. {@link io.symshuffle.nvshmem.NvshmemHeap} is the heap of GPUs in
 * memory that NVSHMEM allocates, for PEs that all start together. NVSHMEM is never bundled; users
 * install it.
 */
package io.symshuffle.nvshmem;
