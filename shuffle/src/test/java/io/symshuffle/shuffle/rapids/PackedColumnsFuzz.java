// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.HashedColumn;
import io.symshuffle.kernel.HashedTable;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.SeededTable;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;

/** A fuzz target: cuDF's metadata of a packed table. */
public final class PackedColumnsFuzz {
  static final int ROWS = 70;
  private static final DeviceRange DATA = new DeviceRange(1L << 40, 1 << 20);

  private PackedColumnsFuzz() {}

  /** Called by the fuzzer: any metadata is refused, or all columns are inside the data. */
  public static void fuzzerTestOneInput(byte[] input) {
    PackedTable table = new PackedTable(ROWS, DATA, MemorySegment.ofArray(input), () -> {});
    for (HashedTable hashed :
        PackedColumns.of(List.of(new SeededTable(table, 1))).orElse(List.of())) {
      for (HashedColumn column : hashed.columns()) {
        checkInside(column.data());
        checkInside(column.validity());
        checkInside(column.offsets());
        long width = column.kind().width();
        boolean complete =
            column.kind().hasOffsets()
                ? column.offsets().bytes() == (ROWS + 1) * width
                : column.data().bytes() == ROWS * width;
        if (!complete) {
          throw new AssertionError("not all rows: " + column);
        }
      }
    }
  }

  private static void checkInside(DeviceRange range) {
    long offset = range.address() - DATA.address();
    if (range.bytes() > 0 && (offset < 0 || offset > DATA.bytes() - range.bytes())) {
      throw new AssertionError("outside the data: " + range);
    }
  }

  /** The metadata of tables with all types. */
  public static List<byte[]> seeds() {
    PackedRows rows = new PackedRows(new Random(1), ROWS);
    PackedRows.TYPES.forEach(rows::add);
    PackedRows strings = new PackedRows(new Random(2), ROWS);
    strings.addStrings(true);
    return List.of(rows.metadata(), strings.metadata());
  }
}
