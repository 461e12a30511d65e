// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.table.FakeEngine;
import io.symshuffle.shuffle.table.SeededTable;
import io.symshuffle.shuffle.table.TableCopies;
import io.symshuffle.shuffle.table.TwoDevices;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.apache.spark.sql.types.DataType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares the kernel's hashes of packed tables with those of Spark's function {@code xxhash64}, on
 * fakes that run the kernel on the CPU.
 */
class RowHashKernelTest {
  @TempDir private Path folder;
  private final long seed = System.nanoTime();
  private final Random random = new Random(seed);
  private final List<SeededTable> tables = new ArrayList<>();
  private long expected;
  private TwoDevices devices;
  private FakeEngine engine;
  private TableCopies copies;

  @BeforeEach
  void start() throws Exception {
    devices = new TwoDevices(folder, 1 << 20);
    DeviceTier tier = devices.start()[0];
    engine = new FakeEngine(tier.context());
    copies = new TableCopies(engine, Optional.of(tier.kernels()), Optional.empty());
  }

  @AfterEach
  void end() {
    if (copies != null) {
      copies.close();
    }
    tables.forEach(each -> each.table().close());
    devices.close();
  }

  @Test
  void hashesColumnsOfEachTypeAsSparkDoes() {
    for (DataType type : PackedRows.TYPES) {
      PackedRows rows = new PackedRows(random, 300);
      rows.add(type);
      add(rows);
      assertEquals(Optional.empty(), reason(expected), () -> type + ", seed " + seed);
    }
  }

  @Test
  void hashesManyTablesAsSparkDoes() {
    for (int i = 0; i < 40; i++) {
      PackedRows rows = new PackedRows(random, 1 + random.nextInt(150));
      for (int columns = random.nextInt(5); columns >= 0; columns--) {
        rows.add(PackedRows.TYPES.get(random.nextInt(PackedRows.TYPES.size())));
      }
      rows.addStrings(random.nextBoolean());
      add(rows);
    }
    assertEquals(Optional.empty(), reason(expected), () -> "seed " + seed);
  }

  @Test
  void reportsDifferentHashes() {
    PackedRows rows = new PackedRows(random, 5);
    rows.add(PackedRows.DECIMAL_128);
    add(rows);
    assertEquals(
        Optional.of(
            "the sum of the hashes of rows is %d, but should be %d"
                .formatted(expected, expected + 1)),
        reason(expected + 1));
  }

  @Test
  void reportsMetadataThatItCannotRead() {
    PackedRows rows = new PackedRows(random, 5);
    rows.add(PackedRows.DECIMAL_128);
    rows.addOther(28, 0);
    add(rows);
    String reason = reason(expected).orElseThrow();
    assertTrue(reason.contains("unknown format"), reason);
  }

  @Test
  void reportsDamagedStrings() {
    PackedRows rows = new PackedRows(random, 15);
    rows.addStrings(false);
    byte[] data = rows.data();
    // The offsets are last.
    Arrays.fill(data, data.length - 64, data.length, (byte) 0x70);
    tables.add(new SeededTable(engine.table(data, rows.metadata(), rows.rows()), 1));
    String reason = reason(expected).orElseThrow();
    assertTrue(reason.contains("damaged offsets of strings"), reason);
  }

  private void add(PackedRows rows) {
    long tableSeed = random.nextLong();
    tables.add(new SeededTable(engine.table(rows.data(), rows.metadata(), rows.rows()), tableSeed));
    expected += rows.sum(tableSeed);
  }

  private Optional<String> reason(long sum) {
    return RapidsTrial.reasonAgainstKernel(copies, tables, sum);
  }
}
