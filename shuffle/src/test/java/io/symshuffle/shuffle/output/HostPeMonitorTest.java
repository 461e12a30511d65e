// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.LeaseTable;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PE 1 monitors PEs 0 and 2. */
class HostPeMonitorTest {
  @TempDir Path base;
  private final List<HostHeap> heaps = new ArrayList<>();
  private final Set<Integer> unprobed = new HashSet<>();
  private HeapFolder folder;
  private HostPeMonitor monitor;

  @BeforeEach
  void start() {
    folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    for (int pe = 0; pe < 3; pe++) {
      HostHeap heap = HostHeap.create(folder, pe, ControlDescriptor.BYTES + (1 << 20));
      heaps.add(heap);
      ControlView.create(heap.local(), List.of(base));
    }
    HostHeap own = heaps.get(1);
    monitor = new HostPeMonitor(own, new MapOutputs(own::peer), pe -> probe(own, pe));
  }

  @AfterEach
  void end() {
    heaps.forEach(HostHeap::close);
    folder.remove();
  }

  private boolean probe(HostHeap own, int pe) {
    if (unprobed.contains(pe)) {
      throw new HeapException("too many open files");
    }
    return own.isAlive(pe);
  }

  /** A lease that ends with its PE. */
  private void lease(int pe, int shuffleId) {
    Lease unused = new LeaseTable(heaps.get(pe).local()).acquire(shuffleId);
  }

  private void setMode(int pe, String mode) throws IOException {
    Files.setPosixFilePermissions(folder.heapFile(pe), PosixFilePermissions.fromString(mode));
  }

  @Test
  void findsLeasesOfLivingPesOnly() {
    lease(0, 7);
    lease(2, 8);
    assertEquals(Optional.of(Set.of(7, 8)), monitor.leasedShuffles());
    heaps.get(2).close();
    assertEquals(List.of(2), monitor.liveness().dead());
    assertEquals(Optional.of(Set.of(7)), monitor.leasedShuffles());
  }

  @Test
  void countsAPeAsAliveWhileItCannotBeProbed() {
    lease(0, 7);
    unprobed.add(0);
    assertEquals(List.of(0, 1, 2), monitor.liveness().living());
    assertEquals(Optional.of(Set.of(7)), monitor.leasedShuffles());
    heaps.get(0).close();
    assertEquals(List.of(), monitor.liveness().dead());
    assertFalse(monitor.isDead(0));
    unprobed.clear();
    assertEquals(List.of(0), monitor.liveness().dead());
    assertTrue(monitor.isDead(0));
    assertFalse(monitor.isDead(1) || monitor.isDead(2));
  }

  @Test
  void leasesAreUnknownWhileTheHeapOfALivingPeCannotBeOpened() throws IOException {
    setMode(0, "rw-r-----");
    assertEquals(List.of(0, 1, 2), monitor.liveness().living());
    assertEquals(Optional.empty(), monitor.leasedShuffles());
    setMode(0, "rw-------");
    assertEquals(Optional.of(Set.of()), monitor.leasedShuffles());
    // Now it is mapped, and the mode no longer matters.
    setMode(0, "rw-r-----");
    assertEquals(Optional.of(Set.of()), monitor.leasedShuffles());
  }

  @Test
  void leasesAreUnknownWhileTheControlRegionOfALivingPeIsDamaged() {
    heaps.get(2).local().set(ValueLayout.JAVA_LONG, ControlDescriptor.MAGIC_OFFSET, 5);
    assertEquals(Optional.empty(), monitor.leasedShuffles());
    heaps.get(2).close();
    assertEquals(Optional.of(Set.of()), monitor.leasedShuffles());
  }

  @Test
  void aPeThatHasNotWrittenItsControlRegionHoldsNoLease() {
    heaps.add(HostHeap.create(folder, 3, ControlDescriptor.BYTES + (1 << 20)));
    assertEquals(List.of(0, 1, 2, 3), monitor.liveness().living());
    assertEquals(Optional.of(Set.of()), monitor.leasedShuffles());
  }

  @Test
  void ignoresAFileThatNoProcessHolds() throws IOException {
    Files.writeString(folder.heapFile(9), "garbage");
    setMode(9, "rw-------");
    assertEquals(new HostPeMonitor.PeLiveness(List.of(0, 1, 2), List.of()), monitor.liveness());
    assertEquals(Optional.of(Set.of()), monitor.leasedShuffles());
  }

  @Test
  void findsLeasesOfALivingPeWhoseFileWasDeleted() throws IOException {
    assertEquals(Optional.of(Set.of()), monitor.leasedShuffles());
    Files.delete(folder.heapFile(2));
    lease(2, 8);
    assertEquals(Optional.of(Set.of(8)), monitor.leasedShuffles());
    heaps.get(2).close();
    assertEquals(Optional.of(Set.of()), monitor.leasedShuffles());
    assertEquals(List.of(), monitor.liveness().dead(), "nothing is left to remove");
  }
}
