// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

/** Waiting for a condition, up to a limit. */
package io.symshuffle.it.wait;
