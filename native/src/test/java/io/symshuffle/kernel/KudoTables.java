// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.symshuffle.kernel.TableSchema.Kind;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Serialized tables as RAPIDS' class {@code KudoGpuSerializer} writes them, made by the CPU for
 * tests; the format is described in check_tables.cu.
 */
public final class KudoTables {
  /** The number that a serialized table starts with, big-endian. */
  public static final int MAGIC = 0x4b554430;

  /** Bytes of the header before the bits that say which columns have validity. */
  public static final int HEADER_BYTES = 28;

  private KudoTables() {}

  /**
   * A column of a whole table.
   *
   * @param type how it is stored
   * @param rows its number of rows
   * @param nulls the rows that are null; null if the column has no validity
   * @param offsets of strings and lists, one more than rows; otherwise empty
   * @param data the values, little-endian, or the characters
   * @param children of lists and structs
   */
  public record Column(
      TableSchema.Column type,
      int rows,
      BitSet nulls,
      int[] offsets,
      byte[] data,
      List<Column> children) {

    /** Returns the same column with these nulls; without any, it still has validity. */
    public Column withNulls(BitSet rowsThatAreNull) {
      return new Column(type, rows, rowsThatAreNull, offsets, data, children);
    }
  }

  /** Makes a column of values of any width. */
  public static Column values(int width, byte[] data) {
    return new Column(
        new TableSchema.Column(Kind.FIXED, width, 0),
        data.length / width,
        null,
        new int[0],
        data,
        List.of());
  }

  /** Makes a column of INT8. */
  public static Column bytes(byte... values) {
    return values(Byte.BYTES, values);
  }

  /** Makes a column of INT32. */
  public static Column ints(int... values) {
    return values(Integer.BYTES, littleEndian(values));
  }

  /** Makes a column of INT64. */
  public static Column longs(long... values) {
    byte[] data = new byte[Long.BYTES * values.length];
    ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer().put(values);
    return values(Long.BYTES, data);
  }

  /** Makes a column of strings; those that are null are null in it. */
  public static Column strings(String... values) {
    ByteArrayOutputStream characters = new ByteArrayOutputStream();
    int[] offsets = new int[values.length + 1];
    BitSet nulls = new BitSet();
    for (int i = 0; i < values.length; i++) {
      nulls.set(i, values[i] == null);
      characters.writeBytes((values[i] == null ? "" : values[i]).getBytes(UTF_8));
      offsets[i + 1] = characters.size();
    }
    return new Column(
        new TableSchema.Column(Kind.STRING, 0, 0),
        values.length,
        nulls.isEmpty() ? null : nulls,
        offsets,
        characters.toByteArray(),
        List.of());
  }

  /**
   * Makes a column of lists.
   *
   * @param offsets one more than lists: where each starts in the child, then where the last one
   *     ends
   */
  public static Column lists(Column child, int... offsets) {
    return new Column(
        new TableSchema.Column(Kind.LIST, 0, 1),
        offsets.length - 1,
        null,
        offsets,
        new byte[0],
        List.of(child));
  }

  /** Makes a column of structs, with at least one field. */
  public static Column struct(Column... fields) {
    return new Column(
        new TableSchema.Column(Kind.STRUCT, 0, fields.length),
        fields[0].rows(),
        null,
        new int[0],
        new byte[0],
        List.of(fields));
  }

  /** Returns the schema of a table. */
  public static TableSchema schema(List<Column> columns) {
    List<TableSchema.Column> types = new ArrayList<>();
    addTypes(columns, types);
    return new TableSchema(types);
  }

  private static void addTypes(List<Column> columns, List<TableSchema.Column> to) {
    for (Column column : columns) {
      to.add(column.type());
      addTypes(column.children(), to);
    }
  }

  /** Returns rows [begin, end) of a table, serialized; a multiple of 4 bytes. */
  public static byte[] serialize(List<Column> columns, int begin, int end) {
    Sections sections = new Sections();
    columns.forEach(column -> sections.add(column, begin, end));
    byte[] hasValidity = new byte[(sections.columns + 7) / 8];
    byte[] bits = sections.hasValidity.toByteArray();
    System.arraycopy(bits, 0, hasValidity, 0, bits.length);
    int start = HEADER_BYTES + hasValidity.length;
    int validity = roundUp(start + sections.validity.size()) - start;
    int data = roundUp(sections.data.size());
    int all = validity + sections.offsets.size() + data;
    ByteBuffer table = ByteBuffer.allocate(start + all);
    for (int number :
        new int[] {
          MAGIC, begin, end - begin, validity, sections.offsets.size(), all, sections.columns
        }) {
      table.putInt(number);
    }
    table.put(hasValidity).put(sections.validity.toByteArray());
    table.position(start + validity);
    table.put(sections.offsets.toByteArray()).put(sections.data.toByteArray());
    return table.array();
  }

  private static int roundUp(int bytes) {
    return (bytes + 3) / 4 * 4;
  }

  private static byte[] littleEndian(int... values) {
    byte[] data = new byte[Integer.BYTES * values.length];
    ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().put(values);
    return data;
  }

  /** The sections of a table in the making. */
  private static final class Sections {
    final BitSet hasValidity = new BitSet();
    final ByteArrayOutputStream validity = new ByteArrayOutputStream();
    final ByteArrayOutputStream offsets = new ByteArrayOutputStream();
    final ByteArrayOutputStream data = new ByteArrayOutputStream();
    int columns;

    void add(Column column, int begin, int end) {
      int index = columns++;
      if (column.nulls() != null && begin < end) {
        hasValidity.set(index);
        addValidity(column, begin / Byte.SIZE, (end + Byte.SIZE - 1) / Byte.SIZE);
      }
      int from = begin;
      int to = end;
      if (column.offsets().length > 0) {
        from = column.offsets()[begin];
        to = column.offsets()[end];
        for (int row = begin; begin < end && row <= end; row++) {
          offsets.writeBytes(littleEndian(column.offsets()[row]));
        }
      }
      int width = column.type().kind() == Kind.STRING ? 1 : column.type().width();
      data.write(column.data(), from * width, (to - from) * width);
      for (Column child : column.children()) {
        add(child, from, to);
      }
    }

    private void addValidity(Column column, int beginByte, int endByte) {
      for (int i = beginByte; i < endByte; i++) {
        int bits = 0;
        for (int row = Byte.SIZE * i; row < Math.min(column.rows(), Byte.SIZE * (i + 1)); row++) {
          bits |= (column.nulls().get(row) ? 0 : 1) << row % Byte.SIZE;
        }
        validity.write(bits);
      }
    }
  }
}
