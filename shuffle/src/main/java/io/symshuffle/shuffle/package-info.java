// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** The entry points that Spark calls: the shuffle manager and its block resolver. */
package io.symshuffle.shuffle;
