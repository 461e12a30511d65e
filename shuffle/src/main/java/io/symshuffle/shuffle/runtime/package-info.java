// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The foundation of the shuffle, which writers, readers and the block resolver of an executor
 * share. {@link io.symshuffle.shuffle.runtime.ShuffleRuntime} holds an executor's shared state; the
 * plugin creates it.
 */
package io.symshuffle.shuffle.runtime;
