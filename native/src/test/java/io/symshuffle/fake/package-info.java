// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Fakes of CUDA and NVSHMEM, for tests without a GPU. */
package io.symshuffle.fake;
