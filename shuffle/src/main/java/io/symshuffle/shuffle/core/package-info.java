// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The floor of the shuffle: what writers, readers and the resolver of an executor share. {@link
 * io.symshuffle.shuffle.core.ShuffleRuntime} holds the parts of an executor; the plugin creates it.
 */
package io.symshuffle.shuffle.core;
