// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * Symmetric memory for the tasks of Spark's barrier stages: {@link
 * io.symshuffle.barrier.SymmetricMemory} is the way in.
 */
package io.symshuffle.barrier;
