// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.TableColumn;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.SeededTable;
import io.symshuffle.shuffle.table.TableConcat;
import io.symshuffle.shuffle.table.TablePart;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** A fuzz target: cuDF's metadata of a packed table, for the kernel of row hashes and for cuDF. */
public final class PackedColumnsFuzz {
  static final int ROWS = 70;
  private static final DeviceRange DATA = new DeviceRange(1L << 40, 1 << 20);

  private PackedColumnsFuzz() {}

  /** Called by the fuzzer: any metadata is refused, or all columns are inside the data. */
  public static void fuzzerTestOneInput(byte[] input) {
    MemorySegment metadata = MemorySegment.ofArray(input);
    int columns =
        input.length < PackedMetadata.HEADER_BYTES
            ? 0
            : metadata.get(PackedMetadata.INT, PackedMetadata.COLUMNS_OFFSET);
    if (PackedMetadata.problem(metadata, ROWS, columns, DATA).isEmpty()) {
      long end = PackedMetadata.HEADER_BYTES;
      for (int i = 0; i < columns; i++) {
        end = unpack(metadata, end, 0);
      }
      if (end != input.length) {
        throw new AssertionError("cuDF reads " + end + " bytes of metadata");
      }
      concatenate(metadata);
    }
    PackedTable table = new PackedTable(ROWS, DATA, MemorySegment.ofArray(input), () -> {});
    PackedColumns.of(List.of(new SeededTable(table, 1))).orElse(List.of()).stream()
        .map(hashed -> hashed.table().columns())
        .forEach(PackedColumnsFuzz::checkComplete);
  }

  private static void checkComplete(List<TableColumn> columns) {
    for (TableColumn column : columns) {
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

  /** The columns of all parts are inside their data, and what cuDF reads is inside the result. */
  private static void concatenate(MemorySegment metadata) {
    TablePart part = new TablePart(metadata, DATA);
    try (Arena arena = Arena.ofConfined()) {
      Optional<TableConcat> plan = PackedConcat.of(List.of(part, part, part), arena);
      if (plan.isEmpty()) {
        return;
      }
      plan.get().parts().forEach(each -> checkComplete(each.columns()));
      int columns = metadata.get(PackedMetadata.INT, PackedMetadata.COLUMNS_OFFSET);
      Optional<String> problem =
          PackedMetadata.problem(
              plan.get().metadata(),
              3 * ROWS,
              columns,
              new DeviceRange(1L << 41, plan.get().bytes()));
      if (problem.isPresent() || plan.get().columns().size() != columns) {
        throw new AssertionError(plan + ": " + problem);
      }
    }
  }

  /** Reads a column and its children as cuDF does; returns the place of the next one. */
  private static long unpack(MemorySegment metadata, long at, int depth) {
    if (depth > 100) {
      throw new AssertionError("deep recursion");
    }
    PackedMetadata.Entry entry = PackedMetadata.Entry.read(metadata, at);
    int width = PackedMetadata.TypeId.width(entry.type());
    if (entry.data() != -1) {
      long bytes = Math.max(1, width) * (long) (width == 0 ? 0 : entry.rows());
      checkInside(new DeviceRange(DATA.address() + entry.data(), bytes));
    } else if (width > 0 && entry.rows() > 0) {
      throw new AssertionError("numbers without data");
    }
    if (entry.validity() != -1) {
      checkInside(
          new DeviceRange(DATA.address() + entry.validity(), (entry.rows() + 31L) / 32 * 4));
    }
    long next = at + PackedMetadata.ENTRY_BYTES;
    for (int i = 0; i < entry.children(); i++) {
      next = unpack(metadata, next, depth + 1);
    }
    return next;
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
    PackedRows nested = new PackedRows(new Random(3), ROWS);
    nested.addNested();
    return List.of(rows.metadata(), strings.metadata(), nested.metadata());
  }
}
