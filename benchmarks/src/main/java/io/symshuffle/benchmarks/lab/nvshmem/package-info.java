// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Functions of NVSHMEM that the product does not use: puts, an all-to-all, multicast addresses. */
package io.symshuffle.benchmarks.lab.nvshmem;
