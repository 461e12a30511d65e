// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * A PE of {@code bench alltoall}, in its own process: {@link io.symshuffle.benchmarks.lab.pe.LabPe}
 * prepares memory that all PEs reach, times each {@code Exchange} at each size, and checks what it
 * wrote.
 */
package io.symshuffle.benchmarks.lab.pe;
