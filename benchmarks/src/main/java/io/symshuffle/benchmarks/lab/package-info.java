// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The lab: {@code bench alltoall} compares SymShuffle's way of moving bytes between GPUs with copy
 * engines and NVSHMEM. {@link io.symshuffle.benchmarks.lab.AllToAllCommand} starts one {@code
 * LabPe} per PE, which measures and verifies, and reports the results. Nothing here runs in a
 * shuffle.
 */
package io.symshuffle.benchmarks.lab;
