// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.TableColumn.Kind;
import io.symshuffle.nvshmem.PeSetup;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Concatenates tables in this PE's symmetric memory. Each has a column of numbers without nulls,
 * one of strings with nulls, and one of bytes with nulls in some tables.
 */
final class ConcatCheck {
  private static final int ALIGNMENT = 64;

  private final PeState state;
  private final Random random;
  private final List<TableColumns> parts = new ArrayList<>();
  private final List<byte[]> numbers = new ArrayList<>();
  private final List<byte[]> strings = new ArrayList<>();
  private final List<byte[]> bytes = new ArrayList<>();
  private final List<Boolean> stringIsThere = new ArrayList<>();
  private final List<Boolean> byteIsThere = new ArrayList<>();
  private long used;

  ConcatCheck(PeState state) {
    this.state = state;
    this.random = new Random(state.seed * 37 + state.pe);
  }

  void run() throws Exception {
    int most = state.setup == PeSetup.FAKE ? 20 : 150;
    for (int i = 0; i < most; i++) {
      addPart(1 + random.nextInt(i % 8 == 0 ? 1500 : 80));
    }
    int rows = strings.size();
    long characters = strings.stream().mapToLong(string -> string.length).sum();
    long start = used;
    long validityBytes = ConcatColumn.validityBytes(rows);
    List<ConcatColumn> columns =
        List.of(
            new ConcatColumn(Kind.INT64, take(8L * rows) - start, 8L * rows, ConcatColumn.NONE, -1),
            new ConcatColumn(
                Kind.STRING,
                take(characters) - start,
                characters,
                take(validityBytes) - start,
                take(4L * (rows + 1)) - start),
            new ConcatColumn(Kind.INT8, take(rows) - start, rows, take(validityBytes) - start, -1));
    DeviceRange to = state.local(start, used - start);
    state.fill(to, (byte) 0x5a);
    try (ConcatLaunch launch = state.kernels.concat(parts, columns, to)) {
      for (int round = 0; round < 2; round++) {
        launch.queue(state.stream);
        launch.await(state.stream, PeState.LIMIT);
      }
    }
    compare(columns, to, rows);
    assertThrows(
        IllegalArgumentException.class,
        () -> state.kernels.concat(parts, columns, state.local(start, used - start - 64)).close());
    assertThrows(
        IllegalArgumentException.class,
        () -> state.kernels.concat(parts, columns.subList(0, 2), to).close());
  }

  private void compare(List<ConcatColumn> columns, DeviceRange to, int rows) throws Exception {
    ByteBuffer found = ByteBuffer.wrap(state.read(to)).order(ByteOrder.LITTLE_ENDIAN);
    ConcatColumn text = columns.get(1);
    assertEquals(0, found.getInt((int) text.offsets()));
    for (int r = 0; r < rows; r++) {
      int row = r;
      byte[] number = new byte[8];
      found.get((int) columns.get(0).data() + 8 * r, number);
      assertArrayEquals(numbers.get(r), number, () -> "number of row " + row);
      int begin = found.getInt((int) text.offsets() + 4 * r);
      byte[] string = new byte[found.getInt((int) text.offsets() + 4 * r + 4) - begin];
      found.get((int) text.data() + begin, string);
      assertArrayEquals(strings.get(r), string, () -> "string of row " + row);
      assertEquals(
          stringIsThere.get(r), isSet(found, text.validity(), r), () -> "null string " + row);
      assertEquals(bytes.get(r)[0], found.get((int) columns.get(2).data() + r));
      assertEquals(
          byteIsThere.get(r), isSet(found, columns.get(2).validity(), r), () -> "null byte " + row);
    }
  }

  private static boolean isSet(ByteBuffer memory, long validity, int row) {
    return (memory.get((int) validity + row / 8) >> row % 8 & 1) != 0;
  }

  private void addPart(int rows) throws Exception {
    boolean large = random.nextBoolean();
    boolean nulls = random.nextBoolean();
    int width = large ? Long.BYTES : Integer.BYTES;
    ByteBuffer offsets = ByteBuffer.allocate((rows + 1) * width).order(ByteOrder.LITTLE_ENDIAN);
    int characters = 0;
    for (int r = 0; r < rows; r++) {
      numbers.add(drawn(8));
      strings.add(drawn(random.nextInt(random.nextInt(9) == 0 ? 200 : 20)));
      bytes.add(drawn(1));
      put(offsets, large, characters);
      characters += strings.getLast().length;
    }
    put(offsets, large, characters);
    List<byte[]> mine = strings.subList(strings.size() - rows, strings.size());
    parts.add(
        new TableColumns(
            rows,
            List.of(
                new TableColumn(
                    Kind.INT64,
                    write(joined(numbers.subList(numbers.size() - rows, numbers.size()))),
                    TableColumn.NONE,
                    TableColumn.NONE),
                new TableColumn(
                    large ? Kind.LARGE_STRING : Kind.STRING,
                    write(joined(mine)),
                    validity(rows, true, stringIsThere),
                    write(offsets.array())),
                new TableColumn(
                    Kind.INT8,
                    write(joined(bytes.subList(bytes.size() - rows, bytes.size()))),
                    validity(rows, nulls, byteIsThere),
                    TableColumn.NONE))));
  }

  private DeviceRange validity(int rows, boolean nulls, List<Boolean> isThere) throws Exception {
    byte[] bits = new byte[(int) ConcatColumn.validityBytes(rows)];
    for (int r = 0; r < rows; r++) {
      isThere.add(!nulls || random.nextInt(3) != 0);
      bits[r / 8] |= (byte) ((isThere.getLast() ? 1 : 0) << r % 8);
    }
    return nulls ? write(bits) : TableColumn.NONE;
  }

  private static void put(ByteBuffer offsets, boolean large, int value) {
    if (large) {
      offsets.putLong(value);
    } else {
      offsets.putInt(value);
    }
  }

  private byte[] drawn(int length) {
    byte[] drawn = new byte[length];
    random.nextBytes(drawn);
    return drawn;
  }

  private static byte[] joined(List<byte[]> values) {
    byte[] joined = new byte[values.stream().mapToInt(value -> value.length).sum()];
    int at = 0;
    for (byte[] value : values) {
      System.arraycopy(value, 0, joined, at, value.length);
      at += value.length;
    }
    return joined;
  }

  private DeviceRange write(byte[] content) throws Exception {
    DeviceRange range = state.local(take(content.length), content.length);
    if (content.length > 0) {
      state.write(range, content);
    }
    return range;
  }

  private long take(long length) {
    long at = used;
    used = (at + length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return at;
  }
}
