// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.nvshmem.PeSetup;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Checks serialized tables in this PE's symmetric memory: right ones of all kinds of columns, then
 * damaged ones.
 */
final class TableCheck {
  private final PeState state;
  private final Random random;

  TableCheck(PeState state) {
    this.state = state;
    this.random = new Random(state.seed * 41 + state.pe);
  }

  void run() throws Exception {
    boolean small = state.setup == PeSetup.FAKE;
    assertEquals(List.of(), check(List.of(), List.of(), KudoTables.schema(List.of(ints(1)))));
    List<KudoTables.Column> columns = columns(small ? 200 : 5_000);
    checkPartitions(columns, small ? 9 : 700);
    checkPartitions(columns, 2);
    checkDamage(columns);
  }

  /** Checks consecutive partitions, some of them empty. */
  private void checkPartitions(List<KudoTables.Column> columns, int count) throws Exception {
    int rows = columns.getFirst().rows();
    List<Integer> starts = new ArrayList<>(List.of(0, rows));
    while (starts.size() <= count) {
      starts.add(random.nextInt(rows + 1));
    }
    starts.sort(null);
    List<byte[]> tables = new ArrayList<>();
    List<Integer> expected = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tables.add(KudoTables.serialize(columns, starts.get(i), starts.get(i + 1)));
      expected.add(starts.get(i + 1) - starts.get(i));
    }
    for (Optional<String> problem : check(tables, expected, KudoTables.schema(columns))) {
      assertEquals(Optional.empty(), problem);
    }
  }

  private void checkDamage(List<KudoTables.Column> columns) throws Exception {
    int rows = columns.getFirst().rows();
    TableSchema schema = KudoTables.schema(columns);
    byte[] right = KudoTables.serialize(columns, 3, rows);
    ByteBuffer header = ByteBuffer.wrap(right);
    int offsets = KudoTables.HEADER_BYTES + (schema.columns().size() + 7) / 8 + header.getInt(12);
    List<byte[]> tables = new ArrayList<>(List.of(right));
    for (int word : new int[] {0, 2, 3, 4, 5, 6}) {
      byte[] table = right.clone();
      table[4 * word + random.nextInt(4)] ^= (byte) (1 << random.nextInt(8));
      tables.add(table);
    }
    // The strings are the first column with offsets.
    for (int i = 0; i < 20; i++) {
      ByteBuffer table = ByteBuffer.wrap(right.clone()).order(ByteOrder.LITTLE_ENDIAN);
      int at = offsets + 4 * (1 + random.nextInt(rows - 5));
      table.putInt(at, i % 2 == 0 ? -1 - random.nextInt(9) : table.getInt(at + 4) + 1);
      tables.add(table.array());
    }
    for (int i = 0; i < 10; i++) {
      tables.add(Arrays.copyOf(right, random.nextInt(right.length)));
    }
    List<Integer> expected = tables.stream().map(table -> rows - 3).toList();
    List<Optional<String>> problems = check(tables, expected, schema);
    assertEquals(Optional.empty(), problems.getFirst());
    for (int i = 1; i < problems.size(); i++) {
      int table = i;
      String problem = problems.get(i).orElseThrow(() -> new AssertionError("table " + table));
      assertTrue(i < 7 || i >= 27 || problem.equals(TableProblem.OFFSETS.text()), problem);
    }
    assertEquals(TableProblem.MAGIC.text(), problems.get(1).orElseThrow());
    assertEquals(TableProblem.ROWS.text(), problems.get(2).orElseThrow());
    assertEquals(TableProblem.COLUMNS.text(), problems.get(6).orElseThrow());
  }

  /** Writes tables into memory of this PE and checks them, twice. */
  private List<Optional<String>> check(List<byte[]> tables, List<Integer> rows, TableSchema schema)
      throws Exception {
    List<SerializedTable> list = new ArrayList<>();
    long at = 0;
    for (int i = 0; i < tables.size(); i++) {
      DeviceRange range = state.local(at, tables.get(i).length);
      if (range.bytes() > 0) {
        state.write(range, tables.get(i));
      }
      list.add(new SerializedTable(range, rows.get(i)));
      at = (at + range.bytes() + 3) / 4 * 4;
    }
    List<Optional<String>> problems = new ArrayList<>();
    try (CheckTablesLaunch launch = state.kernels.checkTables(list, schema)) {
      for (int round = 0; round < 2; round++) {
        launch.queue(state.stream);
        launch.await(state.stream, PeState.LIMIT);
      }
      for (int i = 0; i < tables.size(); i++) {
        problems.add(launch.problem(i));
      }
    }
    return problems;
  }

  private List<KudoTables.Column> columns(int rows) {
    String[] strings = new String[rows];
    for (int i = 0; i < rows; i++) {
      strings[i] = random.nextInt(5) == 0 ? null : "x".repeat(random.nextInt(12));
    }
    int[] offsets = new int[rows + 1];
    for (int i = 0; i < rows; i++) {
      offsets[i + 1] = offsets[i] + random.nextInt(4);
    }
    int children = offsets[rows];
    return List.of(
        KudoTables.longs(random.longs(rows).toArray()),
        ints(rows).withNulls(nulls(rows)),
        KudoTables.strings(strings),
        KudoTables.lists(
                KudoTables.struct(
                        ints(children),
                        KudoTables.lists(
                            ints(2 * children).withNulls(nulls(2 * children)),
                            random.ints(children + 1, 0, 2 * children + 1).sorted().toArray()))
                    .withNulls(nulls(children)),
                offsets)
            .withNulls(nulls(rows)));
  }

  private KudoTables.Column ints(int rows) {
    return KudoTables.ints(random.ints(rows).toArray());
  }

  private BitSet nulls(int rows) {
    BitSet nulls = new BitSet();
    random.ints(rows / 3).forEach(row -> nulls.set(Math.floorMod(row, rows)));
    return nulls;
  }
}
