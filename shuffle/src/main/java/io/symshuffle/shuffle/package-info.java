// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Shuffle manager, writer, reader and block layouts on a symmetric heap. */
package io.symshuffle.shuffle;
