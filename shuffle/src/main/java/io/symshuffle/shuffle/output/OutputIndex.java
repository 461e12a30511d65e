// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.IndexDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The index of a map output, read in place.
 *
 * <p>It is checked once, including its checksum, when it is opened. The memory may be another
 * process's, so each number is checked again when it is used: a call returns consistent numbers or
 * throws {@link CorruptIndexException}.
 *
 * <p>Thread-safe; immutable as long as the memory is.
 */
public abstract sealed class OutputIndex permits RunIndex, TableIndex {
  final MapOutputId id;

  /** All its bytes, 8-byte aligned. */
  final MemorySegment index;

  final int entries;
  private final int entryBytes;

  /** Checks an index, see {@link IndexHeader#check}. */
  OutputIndex(MapOutputId id, MemorySegment index, int magic, int entryBytes) {
    this.id = id;
    this.index = index;
    this.entries = IndexHeader.check(id, index, magic, entryBytes);
    this.entryBytes = entryBytes;
  }

  /** The map output whose index it is. */
  public final MapOutputId id() {
    return id;
  }

  /** Number of partitions of the shuffle. */
  public final int partitions() {
    return index.get(ValueLayout.JAVA_INT, IndexDescriptor.PARTITIONS_OFFSET);
  }

  final long entry(int number) {
    if (number < 0 || number >= entries) {
      throw new IndexOutOfBoundsException("entry %d of %d".formatted(number, entries));
    }
    return IndexDescriptor.HEADER_BYTES + (long) number * entryBytes;
  }
}
