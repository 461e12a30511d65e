// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.HashedColumn.Kind;
import io.symshuffle.nvshmem.PeSetup;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Compares the sum of the hashes of random rows with that of the CPU. The tables are in this PE's
 * symmetric memory.
 */
final class RowHashCheck {
  private static final List<Kind> KINDS = List.of(Kind.values());

  private final PeState state;
  private final Random random;
  private final int maxRows;

  /** The content of the memory, filled from the start. */
  private final ByteBuffer memory =
      ByteBuffer.allocate((int) PeState.BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);

  private final List<HashedTable> tables = new ArrayList<>();
  private long expected;

  RowHashCheck(PeState state) {
    this.state = state;
    this.random = new Random(state.seed * 17 + state.pe);
    this.maxRows = state.setup == PeSetup.FAKE ? 300 : 4_000;
  }

  void run() throws Exception {
    try (RowHashLaunch launch = state.kernels.rowHashes(List.of())) {
      assertEquals(0, sum(launch), "no tables");
    }
    for (Kind kind : KINDS) {
      check(List.of(kind), maxRows);
    }
    for (int round = 0; round < 40; round++) {
      List<Kind> kinds = new ArrayList<>();
      for (int left = random.nextInt(5); left > 0; left--) {
        kinds.add(KINDS.get(random.nextInt(KINDS.size())));
      }
      add(kinds, random.nextInt(3) == 0 ? random.nextInt(3) : random.nextInt(maxRows / 8));
    }
    checkSum("tables with different columns");
    checkDamage();
  }

  private void check(List<Kind> kinds, int rows) throws Exception {
    add(kinds, rows);
    checkSum(rows + " rows of " + kinds);
  }

  /** Compares the sums of all tables that were added since the last call, twice. */
  private void checkSum(String what) throws Exception {
    state.write(
        state.local(0, memory.position()), Arrays.copyOf(memory.array(), memory.position()));
    try (RowHashLaunch launch = state.kernels.rowHashes(tables)) {
      for (int round = 0; round < 2; round++) {
        assertEquals(expected, sum(launch), () -> what + ", seed " + state.seed);
      }
    }
    clear();
  }

  private long sum(RowHashLaunch launch) throws Exception {
    launch.queue(state.stream);
    launch.await(state.stream, PeState.LIMIT);
    return launch.sum();
  }

  private void clear() {
    memory.clear();
    tables.clear();
    expected = 0;
  }

  /** The offset of a string beyond the characters is reported; the launch can be repaired. */
  private void checkDamage() throws Exception {
    DeviceRange offsets = state.local(0, 8);
    DeviceRange characters = state.local(64, 10);
    HashedColumn strings = new HashedColumn(Kind.STRING, characters, HashedColumn.NONE, offsets);
    try (RowHashLaunch launch =
        state.kernels.rowHashes(List.of(new HashedTable(1, 1, List.of(strings))))) {
      for (int[] damaged : new int[][] {{0, 11}, {5, 4}, {-1, 3}}) {
        write(offsets, damaged);
        String message = assertThrows(KernelException.class, () -> sum(launch)).getMessage();
        assertTrue(message.contains("damaged offsets of strings: row 0 of column 0"), message);
      }
      write(offsets, 10, 10);
      assertEquals(XxHash64.of(new byte[0], 1), sum(launch));
    }
  }

  private void write(DeviceRange to, int... values) throws Exception {
    ByteBuffer bytes = ByteBuffer.allocate(values.length * 4).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asIntBuffer().put(values);
    state.write(to, bytes.array());
  }

  private void add(List<Kind> kinds, int rows) {
    long seed = random.nextLong();
    long[] hashes = new long[rows];
    Arrays.fill(hashes, seed);
    List<HashedColumn> columns = new ArrayList<>();
    for (Kind kind : kinds) {
      columns.add(column(kind, rows, hashes));
    }
    tables.add(new HashedTable(seed, rows, columns));
    expected += Arrays.stream(hashes).sum();
  }

  /** Appends a column of random values to the memory and updates the hashes of the rows. */
  private HashedColumn column(Kind kind, int rows, long[] hashes) {
    boolean[] present = new boolean[rows];
    DeviceRange validity = validity(present);
    byte[][] hashed = new byte[rows][];
    align(16);
    int start = memory.position();
    DeviceRange data;
    DeviceRange offsets = HashedColumn.NONE;
    if (kind.hasOffsets()) {
      int[] starts = new int[rows + 1];
      memory.position(start + random.nextInt(8));
      start = memory.position();
      for (int r = 0; r < rows; r++) {
        hashed[r] = new byte[random.nextInt(random.nextInt(10) == 0 ? 200 : 20)];
        random.nextBytes(hashed[r]);
        memory.put(hashed[r]);
        starts[r + 1] = memory.position() - start;
      }
      data = range(start);
      align(8);
      start = memory.position();
      for (int each : starts) {
        if (kind == Kind.STRING) {
          memory.putInt(each);
        } else {
          memory.putLong(each);
        }
      }
      offsets = range(start);
    } else {
      for (int r = 0; r < rows; r++) {
        hashed[r] = value(kind);
      }
      data = range(start);
    }
    for (int r = 0; r < rows; r++) {
      hashes[r] = present[r] ? XxHash64.of(hashed[r], hashes[r]) : hashes[r];
    }
    return new HashedColumn(kind, data, validity, offsets);
  }

  /** Sometimes appends a random validity. */
  private DeviceRange validity(boolean[] present) {
    if (random.nextBoolean()) {
      Arrays.fill(present, true);
      return HashedColumn.NONE;
    }
    align(4);
    int start = memory.position();
    int word = 0;
    for (int r = 0; r < present.length; r++) {
      if (r % 32 == 0) {
        word = random.nextInt();
        memory.putInt(word);
      }
      present[r] = (word >>> r % 32 & 1) != 0;
    }
    return range(start);
  }

  /** Appends a random value; returns the bytes that it is hashed as. */
  private byte[] value(Kind kind) {
    // Values with few bits are as likely as others.
    long bits = random.nextLong() >> random.nextInt(64);
    return switch (kind) {
      case BOOL -> {
        memory.put((byte) (bits & 1));
        yield bytes((int) (bits & 1));
      }
      case INT8 -> {
        memory.put((byte) bits);
        yield bytes((int) (byte) bits);
      }
      case INT16 -> {
        memory.putShort((short) bits);
        yield bytes((int) (short) bits);
      }
      case INT32 -> {
        memory.putInt((int) bits);
        yield bytes((int) bits);
      }
      case INT64 -> {
        memory.putLong(bits);
        yield bytes(bits);
      }
      case FLOAT32 -> {
        // Small negative numbers are NaNs of all kinds.
        float value = bits % 4 == 0 ? -0.0f : Float.intBitsToFloat((int) bits);
        memory.putInt(Float.floatToRawIntBits(value));
        yield bytes(value == 0 ? 0 : Float.floatToIntBits(value));
      }
      case FLOAT64 -> {
        double value = bits % 4 == 0 ? -0.0 : Double.longBitsToDouble(bits);
        memory.putLong(Double.doubleToRawLongBits(value));
        yield bytes(value == 0 ? 0L : Double.doubleToLongBits(value));
      }
      case DECIMAL32 -> {
        memory.putInt((int) bits);
        yield bytes((long) (int) bits);
      }
      case DECIMAL128 -> {
        BigInteger value = new BigInteger(random.nextInt(128), random);
        value = random.nextBoolean() ? value.not() : value;
        memory.putLong(value.longValue());
        memory.putLong(value.shiftRight(64).longValue());
        yield value.toByteArray();
      }
      default -> throw new IllegalArgumentException(kind.toString());
    };
  }

  private static byte[] bytes(int value) {
    return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array();
  }

  private static byte[] bytes(long value) {
    return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(value).array();
  }

  private void align(int bytes) {
    memory.position((memory.position() + bytes - 1) / bytes * bytes);
  }

  /** The memory since a position. */
  private DeviceRange range(int start) {
    return memory.position() == start
        ? HashedColumn.NONE
        : state.local(start, memory.position() - start);
  }
}
