// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What {@link SymmetricHeap} promises, tried by 1, 2, 3 and 5 processes. A backend's test extends
 * this and names its {@link HeapMaker}. The processes of one number serve several tests.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class AbstractSymmetricHeapContract {
  private static final long SEED = Long.getLong("symshuffle.seed", System.nanoTime());

  @TempDir(factory = SharedMemory.class)
  Path shared;

  private final Map<Integer, PeGroup> groups = new HashMap<>();
  private int folders;

  /**
   * The backend.
   *
   * @return a public class with a constructor without arguments
   */
  protected abstract Class<? extends HeapMaker> maker();

  /** {@return the most PEs that can be had here; tests of more are skipped} */
  protected int mostPes() {
    return Integer.MAX_VALUE;
  }

  /** A new empty folder that the PEs of a group share. */
  final Path newFolder() throws IOException {
    return Files.createDirectory(shared.resolve("group-" + folders++));
  }

  private PeGroup group(int peCount) throws IOException, InterruptedException {
    assumeTrue(
        peCount <= mostPes(), () -> "there can be " + mostPes() + " PEs here, not " + peCount);
    PeGroup group = groups.get(peCount);
    if (group == null || !group.isUsable()) {
      if (group != null) {
        group.close();
      }
      group = new PeGroup(maker(), peCount, newFolder());
      groups.put(peCount, group);
    }
    return group;
  }

  @AfterAll
  void endProcesses() {
    groups.values().forEach(PeGroup::close);
  }

  @ParameterizedTest(name = "{0} PEs")
  @ValueSource(ints = {1, 2, 3, 5})
  void everyPeReachesEveryWindow(int peCount) throws Exception {
    group(peCount).run(ContractStep.WINDOWS, SEED);
  }

  @ParameterizedTest(name = "{0} PEs")
  @ValueSource(ints = {1, 2, 3, 5})
  void putAndGetMoveAnyBytesAnywhere(int peCount) throws Exception {
    for (int round = 0; round < 3; round++) {
      group(peCount).run(ContractStep.PUT_AND_GET, SEED + round);
    }
  }

  @ParameterizedTest(name = "{0} PEs")
  @ValueSource(ints = {1, 2, 3, 5})
  void loadsAndStoresThroughPeerViewsAreAtomic(int peCount) throws Exception {
    group(peCount).run(ContractStep.PEER_ATOMICS, SEED);
  }

  @ParameterizedTest(name = "{0} PEs")
  @ValueSource(ints = {1, 2, 3, 5})
  void barriersSeparatePhases(int peCount) throws Exception {
    group(peCount).run(ContractStep.PHASES, SEED);
  }

  @ParameterizedTest(name = "{0} PEs")
  @ValueSource(ints = {1, 2, 3, 5})
  void barriersOfFewerPesMixWithThoseOfAll(int peCount) throws Exception {
    group(peCount).run(ContractStep.SOME_BARRIERS, SEED);
  }

  @ParameterizedTest(name = "{0} PEs")
  @ValueSource(ints = {1, 2, 3, 5})
  void rangesOutsideAWindowAreRefused(int peCount) throws Exception {
    group(peCount).run(ContractStep.BOUNDS, SEED);
  }

  @ParameterizedTest(name = "{0} PEs")
  @ValueSource(ints = {2, 5})
  void aBarrierTimesOutNamesTheMissingAndIsTakenUpAgain(int peCount) throws Exception {
    group(peCount).run(ContractStep.TIME_OUT, SEED, 0);
    group(peCount).run(ContractStep.BARRIER, SEED);
    group(peCount).run(ContractStep.PHASES, SEED);
  }

  @Test
  void aClosedHeapRefusesUseAndClosesOnce() throws Exception {
    try (PeGroup group = new PeGroup(maker(), Math.min(2, mostPes()), newFolder())) {
      group.run(ContractStep.CLOSE, SEED);
    }
  }
}
