// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.SharedMemory;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** File descriptors and mappings on a host with 200 PEs. */
class ProcessLimitsTest {
  private static final int PES = 200;

  @TempDir(factory = SharedMemory.class)
  private Path base;

  @Test
  void mapsHeapsOf200PesWithOneDescriptorAndOneMappingEach() throws IOException {
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    List<HostHeap> heaps = new ArrayList<>();
    try {
      for (int pe = 0; pe < PES; pe++) {
        heaps.add(HostHeap.create(folder, pe, 1 << 16));
        heaps.get(pe).local().fill((byte) pe);
      }
      HostHeap reader = heaps.getFirst();
      ProcessLimits before = ProcessLimits.probe();
      long descriptorsBefore = descriptors();

      for (int pe = 0; pe < PES; pe++) {
        byte[] window = reader.peer(pe).orElseThrow().toArray(ValueLayout.JAVA_BYTE);
        assertEquals((byte) pe, window[window.length - 1]);
        assertTrue(reader.isAlive(pe));
      }
      reader.dropPeerPages();

      ProcessLimits after = ProcessLimits.probe();
      assertEquals(PES - 1, descriptors() - descriptorsBefore);
      // What the JVM opens, maps, and closes for itself varies a little.
      assertEquals(PES - 1, (int) (after.files() - before.files()), 20);
      assertEquals(PES - 1, (int) (after.mappings() - before.mappings()), 20);
      assertEquals(Optional.empty(), after.shortage(PES, 1, 0));
    } finally {
      heaps.forEach(HostHeap::close);
      folder.remove();
    }
  }

  /** Returns the number of descriptors of this process that lead to files of this test. */
  private long descriptors() throws IOException {
    try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      return descriptors.filter(this::isHeap).count();
    }
  }

  private boolean isHeap(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(base);
    } catch (IOException e) {
      // Closed by another thread after it was listed.
      return false;
    }
  }

  @Test
  void namesWhatIsShort() {
    ProcessLimits limits =
        new ProcessLimits(OptionalLong.of(1024), 300, OptionalLong.of(65_530), 1000);

    assertEquals(Optional.empty(), limits.shortage(468, 1, 0));
    assertEquals(
        "This executor may open 1024 files and has 300 open, which is too few to map the heaps of"
            + " 469 other executors: run ulimit -n 65536 before the worker starts, or set"
            + " LimitNOFILE=65536 in its service.",
        limits.shortage(469, 1, 0).orElseThrow());
    assertEquals(Optional.empty(), limits.shortage(117, 4, 0));
    assertTrue(limits.shortage(118, 4, 0).orElseThrow().contains(" 118 other executors"));
    assertEquals(
        "This executor may have 5000 memory mappings and has 1000, which is too few to map the"
            + " heaps of 7 other executors: run sysctl vm.max_map_count=262144.",
        new ProcessLimits(OptionalLong.empty(), 300, OptionalLong.of(5000), 1000)
            .shortage(7, 1, 0)
            .orElseThrow());
    assertEquals(
        Optional.empty(),
        new ProcessLimits(OptionalLong.empty(), 300, OptionalLong.empty(), 1000).shortage(7, 1, 0));
  }

  @Test
  void countsTheChunksOfEachPe() {
    ProcessLimits limits =
        new ProcessLimits(OptionalLong.of(1024), 300, OptionalLong.of(65_530), 1000);
    assertEquals(Optional.empty(), limits.shortage(1, 1, 233));
    assertTrue(limits.shortage(1, 1, 234).isPresent());
  }
}
