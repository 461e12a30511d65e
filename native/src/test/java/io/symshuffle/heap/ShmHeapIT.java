// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** The contract on shared memory, and what only shared memory promises: files outlive their PEs. */
class ShmHeapIT extends AbstractSymmetricHeapContract {
  private static final long SEED = 42;

  @Override
  protected Class<? extends HeapMaker> maker() {
    return ShmHeapMaker.class;
  }

  private static HeapFolder open(Path folder) {
    return HeapFolder.open(folder, ShmHeapMaker.TOKEN, folder);
  }

  private static void assertContent(SymmetricHeap heap, int pe) {
    byte[] copy = new byte[(int) PeGroup.WINDOW_BYTES];
    heap.get(pe, 0, MemorySegment.ofArray(copy));
    assertEquals(
        -1,
        MemorySegment.ofArray(copy)
            .mismatch(MemorySegment.ofArray(ContractStep.content(SEED, pe, copy.length))));
  }

  @Test
  void aKilledPeIsSeenAndItsWindowStaysReadable() throws Exception {
    Path folder = newFolder();
    try (PeGroup group = new PeGroup(maker(), 3, folder);
        ShmHeap mappedBefore = ShmHeap.create(open(folder), 3, 1 << 20);
        ShmHeap mappedAfter = ShmHeap.create(open(folder), 4, 1 << 20)) {
      group.run(ContractStep.FILL, SEED);
      MemorySegment view = mappedBefore.peer(1).orElseThrow();
      assertTrue(mappedBefore.isAlive(1));

      group.kill(1);

      assertFalse(mappedBefore.isAlive(1));
      assertTrue(mappedBefore.isAlive(0) && mappedBefore.isAlive(2) && mappedBefore.isAlive(4));
      assertContent(mappedBefore, 1);
      assertContent(mappedAfter, 1);
      assertEquals(
          -1,
          view.mismatch(
              MemorySegment.ofArray(ContractStep.content(SEED, 1, PeGroup.WINDOW_BYTES))));
      group.run(ContractStep.FILL, SEED, 0, 2);
      assertContent(mappedAfter, 2);
    }
  }

  @Test
  void aBarrierSaysWhoIsDeadAndWhoNeverCame() throws Exception {
    Path folder = newFolder();
    try (PeGroup group = new PeGroup(maker(), 2, folder);
        ShmHeap heap = ShmHeap.create(open(folder), 2, 1 << 20)) {
      group.kill(0);

      String message =
          assertThrows(TimeoutException.class, () -> heap.barrier(4, Duration.ofMillis(50)))
              .getMessage();

      assertEquals(
          "barrier 1 of 4 PEs is not complete after 50 ms at PE 2: 3 missing: PE 0 (its process is"
              + " gone), PE 1 (alive), PE 3 (has no heap file)",
          message);
    }
  }

  @Test
  void aPeThatHasNotComeHasNoWindowUntilItComes() throws IOException {
    HeapFolder folder = open(newFolder());
    try (ShmHeap early = ShmHeap.create(folder, 0, 1 << 20)) {
      assertEquals(Optional.empty(), early.peer(1));
      assertFalse(early.isAlive(1));
      HeapException e =
          assertThrows(
              HeapException.class, () -> early.get(1, 0, MemorySegment.ofArray(new byte[1])));
      assertEquals("PE 1 has no heap file " + folder.heapFile(1), e.getMessage());

      try (ShmHeap late = ShmHeap.create(folder, 1, 1 << 20)) {
        assertEquals(late.size(), early.peer(1).orElseThrow().byteSize());
        assertTrue(early.isAlive(1));
      }
      assertFalse(early.isAlive(1));
      assertTrue(early.peer(1).isPresent(), "a closed PE's window stays readable");
    }
  }

  @Test
  void theFolderOfAKilledApplicationIsSweptAndALiveOneIsNot() throws Exception {
    Path folder = newFolder();
    PeGroup group = new PeGroup(maker(), 2, folder);
    Path swept = open(folder).path();
    try (group) {
      open(folder).diskFolder(1);
      group.kill(0);
      assertEquals(List.of(), HeapFolder.sweep(folder, Duration.ZERO), "PE 1 is alive");
    }
    assertEquals(List.of(), HeapFolder.sweep(folder), "it is too young");
    assertTrue(Files.exists(swept));
    assertEquals(List.of(swept), HeapFolder.sweep(folder, Duration.ZERO));
    assertFalse(Files.exists(swept));
  }

  @Test
  void aSecondProcessCannotTakeANumberThatIsTaken() throws Exception {
    Path folder = newFolder();
    try (PeGroup group = new PeGroup(maker(), 1, folder)) {
      group.run(ContractStep.BARRIER, SEED);
      assertThrows(HeapException.class, () -> ShmHeap.create(open(folder), 0, 1 << 20));
      group.kill(0);
      assertThrows(HeapException.class, () -> ShmHeap.create(open(folder), 0, 1 << 20));
    }
  }
}
