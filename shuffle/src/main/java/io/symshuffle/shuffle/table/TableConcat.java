// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.kernel.ConcatColumn;
import io.symshuffle.kernel.TableColumns;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A concatenation of packed tables into one.
 *
 * @param parts the tables
 * @param columns where the columns are in the result
 * @param bytes length of the result
 * @param metadata the engine's description of the result, in native memory that the caller provides
 */
public record TableConcat(
    List<TableColumns> parts, List<ConcatColumn> columns, long bytes, MemorySegment metadata) {}
