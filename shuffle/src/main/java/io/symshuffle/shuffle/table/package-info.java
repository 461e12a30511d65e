// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
/**
 * Packed tables of a columnar engine on the GPU: what a shuffle of them needs of the engine, and
 * the copies between the tiers and the GPU's memory.
 */
package io.symshuffle.shuffle.table;
