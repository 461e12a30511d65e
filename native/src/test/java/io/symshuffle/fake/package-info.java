// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Libraries that stand in for CUDA and NVSHMEM where there is no GPU, for tests. */
package io.symshuffle.fake;
