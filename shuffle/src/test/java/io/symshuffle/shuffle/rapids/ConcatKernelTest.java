// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.ffi.Segments;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.table.FakeEngine;
import io.symshuffle.shuffle.table.PackedTable;
import io.symshuffle.shuffle.table.SeededTable;
import io.symshuffle.shuffle.table.TableConcat;
import io.symshuffle.shuffle.table.TableCopies;
import io.symshuffle.shuffle.table.TablePart;
import io.symshuffle.shuffle.table.TwoDevices;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Concatenates packed tables with the kernel, on fakes that run it on the CPU, and compares the
 * hashes of the rows with those of the parts.
 */
class ConcatKernelTest {
  private static final long SEED_OF_ROWS = 42;

  @TempDir private Path folder;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final Arena arena = Arena.ofConfined();
  private final List<PackedTable> tables = new ArrayList<>();
  private final List<TablePart> parts = new ArrayList<>();
  private long expected;
  private int rows;
  private TwoDevices devices;
  private DeviceTier tier;
  private FakeEngine engine;

  @BeforeEach
  void start() throws Exception {
    devices = new TwoDevices(folder, 1 << 20);
    tier = devices.start()[0];
    engine = new FakeEngine(tier.context());
  }

  @AfterEach
  void end() {
    tables.forEach(PackedTable::close);
    arena.close();
    devices.close();
  }

  @Test
  void concatenatesColumnsOfEachType() throws Exception {
    for (DataType type : PackedRows.TYPES) {
      parts.clear();
      expected = 0;
      rows = 0;
      for (int i = 0; i < 7; i++) {
        add(List.of(type), 1 + random.nextInt(120));
      }
      check(type.toString());
    }
  }

  @Test
  void concatenatesManyTablesOfManyColumns() throws Exception {
    List<DataType> types = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      types.add(PackedRows.TYPES.get(random.nextInt(PackedRows.TYPES.size())));
    }
    types.add(DataTypes.StringType);
    for (int i = 0; i < 30; i++) {
      add(types, 1 + random.nextInt(60));
    }
    check(types.toString());
  }

  @Test
  void refusesTablesWithListsOrOtherColumns() {
    PackedRows nested = new PackedRows(random, 5);
    nested.add(DataTypes.LongType);
    nested.addNested();
    add(nested);
    add(nested);
    assertEquals(Optional.empty(), PackedConcat.of(parts, arena));
    add(List.of(DataTypes.LongType), 5);
    assertEquals(Optional.empty(), PackedConcat.of(parts.reversed(), arena));
  }

  @Test
  void refusesTablesWithDifferentTypes() {
    add(List.of(DataTypes.LongType, DataTypes.IntegerType), 5);
    add(List.of(DataTypes.LongType, DataTypes.FloatType), 5);
    assertEquals(Optional.empty(), PackedConcat.of(parts, arena));
  }

  private void add(List<DataType> types, int count) {
    PackedRows packed = new PackedRows(random, count);
    for (DataType type : types) {
      if (type.equals(DataTypes.StringType)) {
        packed.addStrings(random.nextBoolean());
      } else {
        packed.add(type);
      }
    }
    add(packed);
    expected += packed.sum(SEED_OF_ROWS);
    rows += count;
  }

  private void add(PackedRows packed) {
    PackedTable table = engine.table(packed.data(), packed.metadata(), packed.rows());
    tables.add(table);
    parts.add(new TablePart(Segments.allocateCopy(arena, table.metadata()), table.data()));
  }

  private void check(String what) throws Exception {
    TableConcat plan = PackedConcat.of(parts, arena).orElseThrow();
    try (TableCopies copies =
            new TableCopies(engine, Optional.of(tier.kernels()), Optional.empty());
        DeviceBuffer buffer = tier.context().allocate(plan.bytes())) {
      copies.concat(plan, buffer.range());
      copies.await();
      int columns = parts.getFirst().metadata().get(PackedMetadata.INT, 4);
      assertEquals(
          Optional.empty(),
          PackedMetadata.problem(plan.metadata(), rows, columns, buffer.range()),
          () -> what + ", seed " + seed);
      PackedTable whole = new PackedTable(rows, buffer.range(), plan.metadata(), () -> {});
      assertEquals(
          Optional.empty(),
          RapidsTrial.reasonAgainstKernel(
              copies, List.of(new SeededTable(whole, SEED_OF_ROWS)), expected),
          () -> what + ", seed " + seed);
    }
  }
}
