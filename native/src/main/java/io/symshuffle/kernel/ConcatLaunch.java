// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.CudaFunction;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.LaunchShape;
import io.symshuffle.kernel.TableColumn.Kind;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Launches that concatenate tables, one after the other on one stream, without the host; see
 * concat.cu for the steps. Its tables are ConcatPart[parts], TableColumn[parts][columns] and
 * ConcatColumn[columns] of layout.h, then u32[parts] for each column of strings.
 */
public final class ConcatLaunch extends KernelLaunch {
  /** Rows of a unit of work; see layout.h. */
  static final int UNIT_ROWS = 512;

  private static final long PART_BYTES =
      DeviceStruct.layout(KernelStruct.ConcatPart.class).byteSize();

  private static final long COLUMN_BYTES =
      DeviceStruct.layout(KernelStruct.ConcatColumn.class).byteSize();

  private final CudaFunction second;
  private final LaunchShape shapeOfSecond;

  /** The memory from the first validity to the last. */
  private final DeviceRange zeroed;

  /**
   * The lists of a launch, and where they are in its tables.
   *
   * @param to the memory of the result
   */
  private record Lists(List<TableColumns> parts, List<ConcatColumn> columns, DeviceRange to) {
    long partColumnsOffset() {
      return PART_BYTES * parts.size();
    }

    long columnsOffset() {
      return partColumnsOffset() + TableColumn.BYTES * parts.size() * columns.size();
    }

    long startsOffset() {
      return columnsOffset() + COLUMN_BYTES * columns.size();
    }

    long bytes() {
      long strings = columns.stream().filter(column -> column.kind() == Kind.STRING).count();
      return startsOffset() + strings * Integer.BYTES * parts.size();
    }

    int units() {
      return Math.toIntExact(parts.stream().mapToLong(ConcatLaunch::unitsOf).sum());
    }

    int rows() {
      return Math.toIntExact(parts.stream().mapToLong(TableColumns::rows).sum());
    }

    void write(MemorySegment segment) {
      int firstRow = 0;
      int firstUnit = 0;
      long at = partColumnsOffset();
      for (int i = 0; i < parts.size(); i++) {
        TableColumns part = parts.get(i);
        segment.set(JAVA_INT, PART_BYTES * i, part.rows());
        segment.set(JAVA_INT, PART_BYTES * i + 4, firstRow);
        segment.set(JAVA_INT, PART_BYTES * i + 8, firstUnit);
        firstRow += part.rows();
        firstUnit += (int) unitsOf(part);
        for (TableColumn column : part.columns()) {
          column.write(segment, at);
          at += TableColumn.BYTES;
        }
      }
      int strings = 0;
      for (ConcatColumn column : columns) {
        segment.set(JAVA_LONG, at, to.address() + column.data());
        segment.set(JAVA_LONG, at + 8, column.bytes());
        segment.set(JAVA_LONG, at + 16, address(column.validity()));
        segment.set(JAVA_LONG, at + 24, address(column.offsets()));
        segment.set(JAVA_INT, at + 32, column.kind().code());
        segment.set(JAVA_INT, at + 36, strings);
        strings += column.kind() == Kind.STRING ? 1 : 0;
        at += COLUMN_BYTES;
      }
    }

    private long address(long offset) {
      return offset == ConcatColumn.NONE ? 0 : to.address() + offset;
    }

    /** The memory from the first validity to the end of the last one. */
    DeviceRange validities() {
      long begin = Long.MAX_VALUE;
      long end = 0;
      for (ConcatColumn column : columns) {
        if (column.validity() != ConcatColumn.NONE) {
          begin = Math.min(begin, column.validity());
          end = Math.max(end, column.validity() + ConcatColumn.validityBytes(rows()));
        }
      }
      return end == 0 ? new DeviceRange(0, 0) : to.slice(begin, end - begin);
    }
  }

  private ConcatLaunch(KernelModule module, Lists lists, int units) {
    super(
        module,
        "symshuffle_concat_starts",
        shape(module, lists.columns().size()),
        lists.bytes(),
        lists::write,
        place ->
            new KernelStruct.ConcatArguments(
                place.tables(),
                place.tables() + lists.partColumnsOffset(),
                place.tables() + lists.columnsOffset(),
                place.tables() + lists.startsOffset(),
                place.status(),
                lists.parts().size(),
                lists.columns().size(),
                units,
                lists.rows(),
                module.pe(),
                0));
    this.second = module.function("symshuffle_concat_rows");
    this.shapeOfSecond = shape(module, (long) units * lists.columns().size());
    this.zeroed = lists.validities();
  }

  static ConcatLaunch of(
      KernelModule module, List<TableColumns> parts, List<ConcatColumn> columns, DeviceRange to) {
    Lists lists = new Lists(List.copyOf(parts), List.copyOf(columns), to);
    check(lists);
    return new ConcatLaunch(module, lists, lists.units());
  }

  private static void check(Lists lists) {
    long rows = lists.parts().stream().mapToLong(TableColumns::rows).sum();
    long items =
        lists.parts().stream().mapToLong(ConcatLaunch::unitsOf).sum() * lists.columns().size();
    if (rows >= Integer.MAX_VALUE || items > Integer.MAX_VALUE || lists.to().address() % 16 != 0) {
      throw new IllegalArgumentException(
          "%d rows of %d columns cannot be concatenated at %s"
              .formatted(rows, lists.columns().size(), lists.to()));
    }
    for (ConcatColumn column : lists.columns()) {
      column.check(rows, lists.to().bytes());
    }
    for (TableColumns part : lists.parts()) {
      for (int i = 0; i < Math.max(part.columns().size(), lists.columns().size()); i++) {
        if (i >= part.columns().size()
            || i >= lists.columns().size()
            || !matches(part.columns().get(i), lists.columns().get(i))) {
          throw new IllegalArgumentException(
              "column %d of a part is not that of the result".formatted(i));
        }
      }
    }
  }

  private static boolean matches(TableColumn part, ConcatColumn whole) {
    Kind kind = part.kind() == Kind.LARGE_STRING ? Kind.STRING : part.kind();
    boolean hasNulls = part.validity().bytes() > 0;
    return kind == whole.kind() && (!hasNulls || whole.validity() != ConcatColumn.NONE);
  }

  private static long unitsOf(TableColumns part) {
    return (part.rows() + UNIT_ROWS - 1L) / UNIT_ROWS;
  }

  /** Returns the shape of a launch with a warp per item, up to two CTAs per multiprocessor. */
  private static LaunchShape shape(KernelModule module, long items) {
    int warps = module.ctaThreads() / KernelModule.LANES;
    return module.ctaShape(
        Math.clamp((items + warps - 1) / warps, 1, 2 * module.multiprocessors()));
  }

  @Override
  void launch(CudaStream stream) {
    if (zeroed.bytes() > 0) {
      stream.fill(zeroed, (byte) 0);
    }
    super.launch(stream);
    second.launch(stream, shapeOfSecond, arguments());
  }
}
