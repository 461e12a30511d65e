// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/** Measures how fast the network between executors is. */
package io.symshuffle.shuffle.probe;
