// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The benchmark of all-to-all exchanges: SymShuffle's kernels, copy engines, NVSHMEM and NCCL.
 * {@link io.symshuffle.benchmarks.alltoall.AllToAllCommand} starts one {@code AllToAllPe} per PE,
 * which measures and verifies, and reports the results.
 */
package io.symshuffle.benchmarks.alltoall;
