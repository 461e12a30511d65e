// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.directory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.shuffle.fixture.InParallel;
import io.symshuffle.shuffle.fixture.SeededRandom;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SeededRandom.class)
class LeaseTableTest {
  @AutoClose private final Windows windows = new Windows();
  private MemorySegment window;
  private LeaseTable table;
  private ControlView view;

  @BeforeEach
  void start() {
    window = windows.add(0);
    ControlView.create(window, List.of(Path.of("/disk")));
    table = new LeaseTable(window);
    view = ControlView.open(window);
  }

  @Test
  void closingLeaseTwiceReleasesItOnce() {
    Lease first = table.acquire(5);
    Lease second = table.acquire(5);
    first.close();
    first.close();
    assertTrue(view.isLeased(5));
    second.close();
    second.close();
    assertFalse(view.isLeased(5));
  }

  @Test
  void behavesLikeCounters(Random random) {
    Map<Integer, List<Lease>> model = new HashMap<>();
    for (int step = 0; step < 20_000; step++) {
      int shuffle = random.nextInt(40) - 20;
      List<Lease> leases = model.computeIfAbsent(shuffle, s -> new ArrayList<>());
      if (random.nextBoolean()) {
        leases.add(table.acquire(shuffle));
      } else if (!leases.isEmpty()) {
        leases.remove(random.nextInt(leases.size())).close();
      }
      int other = random.nextInt(40) - 20;
      assertEquals(!model.getOrDefault(other, List.of()).isEmpty(), view.isLeased(other));
    }
    assertEquals(model.values().stream().filter(l -> !l.isEmpty()).count(), table.size());
    model.values().forEach(leases -> leases.forEach(Lease::close));
    assertEquals(0, table.size());
    assertTrue(allZero());
  }

  @Test
  void reportsFullTableAndRecovers() {
    List<Lease> leases = new ArrayList<>();
    for (int shuffle = 0; shuffle < 4096; shuffle++) {
      leases.add(table.acquire(shuffle));
    }
    assertEquals(
        "tasks of this executor already read 4096 shuffles at the same time: run fewer jobs"
            + " concurrently",
        assertThrows(IllegalStateException.class, () -> table.acquire(4096)).getMessage());
    assertFalse(view.isLeased(4096));
    assertEquals(4096, table.size());
    // A leased shuffle already has its slot.
    table.acquire(17).close();
    leases.get(1234).close();
    leases.set(1234, table.acquire(4096));
    assertTrue(view.isLeased(4096));
    assertFalse(view.isLeased(1234));
    leases.forEach(Lease::close);
    assertTrue(allZero());
  }

  @Test
  void countsLeasesOfManyThreads() throws Exception {
    InParallel.Part part =
        stop -> {
          for (int i = 0; i < 10_000; i++) {
            Lease lease = table.acquire(i % 3);
            try (lease) {
              assertTrue(view.isLeased(i % 3));
            }
          }
        };
    InParallel.run(part, part, part);
    assertEquals(0, table.size());
    assertTrue(allZero());
  }

  private boolean allZero() {
    return window
        .asSlice(ControlDescriptor.LEASES_OFFSET, (long) ControlDescriptor.LEASE_SLOTS * Long.BYTES)
        .elements(ValueLayout.JAVA_LONG)
        .allMatch(word -> word.get(ValueLayout.JAVA_LONG, 0) == 0);
  }
}
