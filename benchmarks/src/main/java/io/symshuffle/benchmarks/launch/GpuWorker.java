// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

/**
 * What one executor with a GPU gets of the machine.
 *
 * @param cores CPU cores
 * @param memoryGiB Java heap in GiB
 */
public record GpuWorker(int cores, int memoryGiB) {}
