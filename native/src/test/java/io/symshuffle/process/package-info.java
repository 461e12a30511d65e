// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** How tests of all modules start processes. */
package io.symshuffle.process;
