// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Functions of NVSHMEM that only benchmarks call. */
package io.symshuffle.benchmarks.nvshmem;
