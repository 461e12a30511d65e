// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.nvshmem.PeSetup;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Packs tables in this PE's symmetric memory, unpacks them, and compares the result with the tables
 * and with that of the CPU's decoder.
 */
final class PackCheck {
  private static final int ALIGNMENT = 256;

  private static final byte[][] WORDS =
      Stream.of("furious ", "quickly ", "FOB MAIL", "ironic d", "theodoli")
          .map(word -> word.getBytes(US_ASCII))
          .toArray(byte[][]::new);

  private final PeState state;
  private final Random random;
  private final int maxBytes;

  PackCheck(PeState state) {
    this.state = state;
    this.random = new Random(state.seed * 31 + state.pe);
    this.maxBytes = state.setup == PeSetup.FAKE ? 30_000 : 300_000;
  }

  void run() throws Exception {
    checkRoundTrip(List.of());
    checkRoundTrip(List.of(new byte[0]));
    for (int round = 0; round < 3; round++) {
      List<byte[]> tables = new ArrayList<>();
      for (int left = 1 + random.nextInt(12); left > 0; left--) {
        tables.add(table(random.nextInt(4) == 0 ? random.nextInt(60) : random.nextInt(maxBytes)));
      }
      checkRoundTrip(tables);
    }
    checkDamage();
    checkArguments();
  }

  private void checkRoundTrip(List<byte[]> tables) throws Exception {
    List<DeviceRange> from = write(0, tables);
    long roomFrom = end(from, 0);
    DeviceRange to = state.local(roomFrom, PackedTables.roomFor(from));
    List<DeviceRange> packed;
    try (PackLaunch launch = state.kernels.pack(from, to)) {
      for (int round = 0; round < 2; round++) {
        launch.queue(state.stream);
        launch.await(state.stream, PeState.LIMIT);
      }
      packed = launch.packed();
      assertEquals(tables.size(), packed.size());
      assertEquals(
          packed.stream().mapToLong(DeviceRange::bytes).sum(),
          launch.packedBytes(),
          "the sum of the lengths");
    }
    List<DeviceRange> plain = new ArrayList<>();
    long at = align(roomFrom + to.bytes());
    for (int i = 0; i < tables.size(); i++) {
      assertTrue(packed.get(i).bytes() <= PackedTables.maxBytes(tables.get(i).length));
      byte[] decoded = new byte[tables.get(i).length];
      assertTrue(
          PackedTables.decode(
              MemorySegment.ofArray(state.read(packed.get(i))), MemorySegment.ofArray(decoded)),
          "table " + i);
      assertArrayEquals(tables.get(i), decoded, "table " + i + " by the CPU");
      // Some of them at odd addresses.
      plain.add(state.local(at + (i % 3 == 2 ? i : 0), tables.get(i).length));
      at = align(at + tables.get(i).length + i);
    }
    assertEquals(new BitSet(), unpack(packed, plain));
    for (int i = 0; i < tables.size(); i++) {
      assertArrayEquals(tables.get(i), state.read(plain.get(i)), "table " + i);
    }
  }

  /** Damages packed tables; the GPU and the CPU refuse the same ones, and agree on the others. */
  private void checkDamage() throws Exception {
    List<DeviceRange> from = write(0, List.of(table(9_000)));
    DeviceRange to = state.local(end(from, 0), PackedTables.roomFor(from));
    byte[] valid;
    try (PackLaunch launch = state.kernels.pack(from, to)) {
      launch.queue(state.stream);
      launch.await(state.stream, PeState.LIMIT);
      valid = state.read(launch.packed().getFirst());
    }
    List<byte[]> forms = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      byte[] form = valid.clone();
      int at = random.nextInt(i % 4 == 0 ? form.length : 32 + 3 * 8);
      if (i % 5 == 0) {
        form = Arrays.copyOf(form, random.nextInt(form.length));
      } else if (i % 5 == 1) {
        form[at] = (byte) random.nextInt();
      } else {
        form[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
      }
      forms.add(form);
    }
    List<DeviceRange> packed = write(0, forms);
    List<DeviceRange> plain = new ArrayList<>();
    long at = align(end(packed, 0));
    for (int i = 0; i < forms.size(); i++, at = align(at + 9_000)) {
      plain.add(state.local(at, 9_000));
    }
    BitSet damaged = unpack(packed, plain);
    for (int i = 0; i < forms.size(); i++) {
      byte[] decoded = new byte[9_000];
      boolean decodes =
          PackedTables.decode(MemorySegment.ofArray(forms.get(i)), MemorySegment.ofArray(decoded));
      assertEquals(!decodes, damaged.get(i), "damaged table " + i);
      if (decodes) {
        assertArrayEquals(decoded, state.read(plain.get(i)), "damaged table " + i);
      }
    }
    assertTrue(damaged.cardinality() > 20, damaged.toString());
  }

  private void checkArguments() {
    DeviceRange table = state.local(0, 5_000);
    long room = PackedTables.roomFor(List.of(table));
    for (DeviceRange to :
        List.of(state.local(8_192, room - 1), state.local(8_200, room), state.local(4_992, room))) {
      assertThrows(
          IllegalArgumentException.class, () -> state.kernels.pack(List.of(table), to).close());
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> state.kernels.unpack(List.of(state.local(8, 64)), List.of(table)).close());
    assertThrows(
        IllegalArgumentException.class,
        () -> state.kernels.unpack(List.of(), List.of(table)).close());
  }

  private BitSet unpack(List<DeviceRange> packed, List<DeviceRange> plain) throws Exception {
    try (UnpackLaunch launch = state.kernels.unpack(packed, plain)) {
      launch.queue(state.stream);
      launch.await(state.stream, PeState.LIMIT);
      return launch.damaged();
    }
  }

  /** Writes byte strings one after the other into this PE's memory. */
  private List<DeviceRange> write(long at, List<byte[]> contents) throws Exception {
    List<DeviceRange> ranges = new ArrayList<>();
    long start = at;
    for (byte[] content : contents) {
      DeviceRange range = state.local(start, content.length);
      if (content.length > 0) {
        state.write(range, content);
      }
      ranges.add(range);
      start = align(start + content.length);
    }
    return ranges;
  }

  private long end(List<DeviceRange> ranges, long at) {
    return ranges.isEmpty()
        ? at
        : align(
            ranges.getLast().address() + ranges.getLast().bytes() - state.local(0, 0).address());
  }

  private static long align(long offset) {
    return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  /** Returns a table with columns of different kinds. */
  private byte[] table(int bytes) {
    ByteBuffer table = ByteBuffer.allocate(bytes).order(ByteOrder.LITTLE_ENDIAN);
    while (table.remaining() >= Long.BYTES) {
      int kind = random.nextInt(9);
      long base = random.nextLong() >> random.nextInt(64);
      long range = 1 + (random.nextLong() >>> (1 + random.nextInt(63)));
      int end = Math.min(bytes, table.position() + 64 * (1 + random.nextInt(150)));
      for (long value = base; end - table.position() >= Long.BYTES; ) {
        long some = random.nextLong(range);
        value = kind == 1 ? value + some : base + some;
        switch (kind) {
          case 0, 1 -> table.putLong(value);
          case 2 -> table.putInt((int) value);
          case 3 -> table.put((byte) "ABCD efgh".charAt((int) (some % 9)));
          case 4 -> table.putLong(base + some % 100 * 1000);
          case 5 -> table.putLong(base);
          case 6 -> table.putLong(base + random.nextInt(5) * (range << 9) + some);
          case 7 -> table.put(WORDS[random.nextInt(WORDS.length)], 0, Long.BYTES);
          default -> table.putLong(random.nextLong());
        }
      }
    }
    return table.array();
  }
}
