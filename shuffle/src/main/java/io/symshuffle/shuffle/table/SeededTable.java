// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

/**
 * A packed table with columns, and the seed of the hashes of its rows.
 *
 * @param table the table, open while its rows are hashed
 */
public record SeededTable(PackedTable table, long seed) {}
