// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * What {@code bench collectives} runs in the tasks of a barrier stage: collectives of {@link
 * io.symshuffle.barrier}, of Spark, NVSHMEM and NCCL. All results are checked.
 */
package io.symshuffle.benchmarks.barrier;
