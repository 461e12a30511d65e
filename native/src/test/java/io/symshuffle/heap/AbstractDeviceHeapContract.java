// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The contract of {@link DeviceHeap}, with 1, 2, 3 and 5 processes. The test of a backend extends
 * this class and names its {@link DeviceHeapMaker}. The processes of one number of PEs serve
 * several tests.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class AbstractDeviceHeapContract {
  private static final long SEED = Long.getLong("symshuffle.seed", System.nanoTime());

  @TempDir private static Path shared;

  private final Map<Integer, DeviceHeapGroup> groups = new HashMap<>();
  private int folders;

  /** Returns the backend: a class with a constructor without arguments. */
  protected abstract Class<? extends DeviceHeapMaker> maker();

  /** Returns the maximum number of PEs on this machine; tests with more are skipped. */
  protected abstract int maxPes();

  private DeviceHeapGroup newGroup(int peCount) throws IOException, InterruptedException {
    assumeTrue(peCount <= maxPes(), () -> "%d PEs, at most %d".formatted(peCount, maxPes()));
    return new DeviceHeapGroup(
        maker(), peCount, Files.createDirectory(shared.resolve("group-" + folders++)));
  }

  private DeviceHeapGroup group(int peCount) throws IOException, InterruptedException {
    DeviceHeapGroup group = groups.get(peCount);
    if (group == null || !group.isUsable()) {
      if (group != null) {
        group.close();
      }
      group = newGroup(peCount);
      groups.put(peCount, group);
    }
    return group;
  }

  @AfterAll
  void endProcesses() {
    groups.values().forEach(DeviceHeapGroup::close);
  }

  @ParameterizedTest(name = "{0} PEs")
  @ValueSource(ints = {1, 2, 3, 5})
  void describesWindowsAndRefusesUnknownPes(int peCount) throws Exception {
    group(peCount).run(DeviceHeapStep.DESCRIBE, SEED);
  }

  @ParameterizedTest(name = "{0} PEs")
  @ValueSource(ints = {1, 2, 3, 5})
  void everyPeReadsAllSlabs(int peCount) throws Exception {
    for (int round = 0; round < 3; round++) {
      group(peCount).run(DeviceHeapStep.WRITE_SLABS, SEED + round);
      group(peCount).run(DeviceHeapStep.READ_SLABS, SEED + round);
    }
  }

  @Test
  void survivorsReadTheWindowOfAKilledPe() throws Exception {
    int peCount = Math.min(3, maxPes());
    assumeTrue(peCount > 1, "needs another PE");
    try (DeviceHeapGroup group = newGroup(peCount)) {
      group.run(DeviceHeapStep.WRITE_SLABS, SEED);
      // Memory that nobody has seen may be lost with its owner.
      group.run(DeviceHeapStep.READ_SLABS, SEED);
      group.kill(peCount - 1);
      int[] survivors = IntStream.range(0, peCount - 1).toArray();
      group.run(DeviceHeapStep.LOSE_PEER, SEED, survivors);
      group.run(DeviceHeapStep.READ_SLABS, SEED, survivors);
    }
  }

  @Test
  void closedHeapRefusesUseAndClosesOnce() throws Exception {
    try (DeviceHeapGroup group = newGroup(Math.min(2, maxPes()))) {
      group.run(DeviceHeapStep.CLOSE, SEED);
    }
  }
}
