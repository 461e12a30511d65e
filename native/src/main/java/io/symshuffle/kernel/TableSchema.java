// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The columns of serialized tables.
 *
 * @param columns all columns, nested ones too, depth-first: a column, then its children
 */
public record TableSchema(List<Column> columns) {
  /** How deep columns are nested at most; 1 is a table without nested columns. */
  public static final int MAX_DEPTH = 64;

  private static final long COLUMN_BYTES =
      DeviceStruct.layout(KernelStruct.CheckColumn.class).byteSize();

  /** How a column is stored; SerializedKind in layout.h. */
  public enum Kind {
    /** Values of the same width. */
    FIXED(0),
    /** Offsets and characters; also binary values. */
    STRING(1),
    /** Offsets and one child; also maps, whose child is a struct. */
    LIST(2),
    /** Only children, which have the same rows. */
    STRUCT(3);

    private final int code;

    Kind(int code) {
      this.code = code;
    }
  }

  /**
   * A column.
   *
   * @param width bytes of a value of {@link Kind#FIXED}: 1, 2, 4, 8 or 16; otherwise 0
   * @param children the number of its direct children: 1 for a list, 0 for values and strings
   */
  public record Column(Kind kind, int width, int children) {
    /**
     * @throws IllegalArgumentException when there is no such column
     */
    public Column {
      boolean widthIsRight =
          kind == Kind.FIXED
              ? Integer.bitCount(width) == 1 && width <= 16 && width > 0
              : width == 0;
      boolean childrenAreRight =
          kind == Kind.STRUCT ? children >= 0 : children == (kind == Kind.LIST ? 1 : 0);
      if (!widthIsRight || !childrenAreRight) {
        throw new IllegalArgumentException(
            "a column of kind %s with values of %d bytes and %d children"
                .formatted(kind, width, children));
      }
    }
  }

  /**
   * @throws IllegalArgumentException when there is no column, children are missing or nested too
   *     deep, or a struct below a list has none: nothing would bound its rows
   */
  public TableSchema {
    columns = List.copyOf(columns);
    if (columns.isEmpty()) {
      throw new IllegalArgumentException("a serialized table has at least one column");
    }
    levels(columns);
  }

  /** Returns the number of lists above each column. */
  private static int[] levels(List<Column> columns) {
    int[] levels = new int[columns.size()];
    for (int at = 0; at < columns.size(); ) {
      at = setLevels(columns, at, 1, 0, levels);
    }
    return levels;
  }

  /**
   * Finds the levels of a column and of those below it.
   *
   * @return the index of the column after them
   */
  private static int setLevels(List<Column> columns, int at, int depth, int level, int[] levels) {
    if (at >= columns.size() || depth > MAX_DEPTH) {
      throw new IllegalArgumentException(
          "the schema of %d columns lacks a child, or nests columns deeper than %d"
              .formatted(columns.size(), MAX_DEPTH));
    }
    Column column = columns.get(at);
    if (column.kind() == Kind.STRUCT && column.children() == 0 && level > 0) {
      throw new IllegalArgumentException(
          "column %d is a struct without fields below a list".formatted(at));
    }
    levels[at] = level;
    int next = at + 1;
    for (int i = 0; i < column.children(); i++) {
      int below = column.kind() == Kind.LIST ? level + 1 : level;
      next = setLevels(columns, next, depth + 1, below, levels);
    }
    return next;
  }

  /** Returns the length of CheckColumn[columns]. */
  long bytes() {
    return COLUMN_BYTES * columns.size();
  }

  /**
   * Writes CheckColumn[columns].
   *
   * @param to at least {@link #bytes} long, all zeros
   */
  void write(MemorySegment to) {
    int[] levels = levels(columns);
    for (int i = 0; i < columns.size(); i++) {
      long at = COLUMN_BYTES * i;
      to.set(JAVA_INT, at, columns.get(i).kind().code);
      to.set(JAVA_INT, at + 4, columns.get(i).width());
      to.set(JAVA_INT, at + 8, levels[i]);
    }
  }
}
