// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Bounded waiting: for a condition, and for code that may never end. */
package io.symshuffle.it.wait;
