// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/**
 * The entry points that Spark calls: the shuffle manager, its block resolver, and the data I/O
 * plugin.
 */
package io.symshuffle.shuffle;
