// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

/**
 * The share of the machine that an executor with a GPU gets.
 *
 * @param cores CPU cores
 */
public record GpuWorker(int cores, int memoryGiB) {}
