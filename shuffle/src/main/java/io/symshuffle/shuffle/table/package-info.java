// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * Packed tables on the GPU: the interface to the columnar engine that creates them, their writers
 * and readers, and copies between the tiers and GPU memory.
 */
package io.symshuffle.shuffle.table;
