// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/** Measures how fast the ways between executors are. */
package io.symshuffle.shuffle.probe;
