// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Functions of NVSHMEM that the product does not use: puts and an all-to-all. */
package io.symshuffle.benchmarks.lab.nvshmem;
