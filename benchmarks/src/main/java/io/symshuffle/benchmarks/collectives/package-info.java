// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * {@code bench collectives} times the collectives of {@link io.symshuffle.barrier} beside Spark's,
 * or all-to-alls between GPUs: the kernel of shuffles, copy engines and NVSHMEM, on PEs that are
 * {@link io.symshuffle.benchmarks.collectives.GpuPe processes}. All results are checked.
 */
package io.symshuffle.benchmarks.collectives;
