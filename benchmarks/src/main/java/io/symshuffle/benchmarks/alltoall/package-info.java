// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The benchmark of the all-to-all: our kernels, copy engines, NVSHMEM and NCCL side by side. {@link
 * io.symshuffle.plugin.cli.alltoall.AllToAllCommand} starts one {@code AllToAllPe} a PE, which
 * times and verifies, and reports what they found.
 */
package io.symshuffle.benchmarks.alltoall;
