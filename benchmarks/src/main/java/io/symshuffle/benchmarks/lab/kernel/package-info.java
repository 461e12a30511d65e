// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Kernels that no shuffle uses, for comparison: push, a barrier, and sums of floats over peer loads
 * and over the NVLink switch. The CUDA sources are in {@code benchmarks/src/main/cuda}.
 */
package io.symshuffle.benchmarks.lab.kernel;
