// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.SharedMemory;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostHeapTest {
  private static final long MIB = 1L << 20;

  @TempDir(factory = SharedMemory.class)
  Path base;

  private HeapFolder folder() {
    return HeapFolder.open(base, FolderToken.random(), List.of(base));
  }

  @Test
  void roundsItsWindowUpTo64KiBAndReservesNoMemory() throws Exception {
    HeapFolder folder = folder();
    try (HostHeap heap = HostHeap.create(folder, 0, 1L << 40)) {
      assertEquals(1L << 40, heap.size());
      assertTrue(blocksOf512(folder.heapFile(0)) < 1000);
    }
    try (HostHeap heap = HostHeap.create(folder, 1, 65_537)) {
      assertEquals(131_072, heap.size());
      assertEquals(131_072, heap.local().byteSize());
    }
    assertThrows(IllegalArgumentException.class, () -> HostHeap.create(folder, 2, 0));
    assertThrows(IllegalArgumentException.class, () -> HostHeap.create(folder, -1, 10));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void unlinksMemoryFilesAndDiskFolderOfADeadPe(int files) throws Exception {
    FolderToken token = FolderToken.random();
    Path disk = Files.createDirectory(base.resolve("disk of one"));
    HeapFolder ofDead = HeapFolder.open(base, token, List.of(disk));
    HeapFolder ofLiving = HeapFolder.open(base, token, List.of(base));
    try (HostHeap living = HostHeap.create(ofLiving, 1, MIB)) {
      HostHeap dead = HostHeap.create(ofDead, 0, 8 * MIB, files);
      assertEquals(files, dead.files());
      assertTrue(dead.backing().reserve(0, 8 * MIB));
      dead.local().set(JAVA_LONG, 0, 7);
      Path diskFolder = ofDead.diskFolders(0).getFirst();
      Files.createFile(diskFolder.resolve("1-2.runs"));
      assertEquals(diskFolder, living.diskFolders(0).getFirst());
      MemorySegment window = living.peer(0).orElseThrow();
      assertThrows(IllegalStateException.class, () -> living.unlink(0), "it is alive");
      assertThrows(IllegalStateException.class, () -> living.unlink(1), "this PE is alive");
      assertThrows(IllegalStateException.class, () -> living.releaseDead(0, 0, 4096));
      dead.close();
      living.releaseDead(0, 0, 4096);
      assertEquals(0, window.get(JAVA_LONG, 0));
      assertEquals(List.of(), living.unlinked());
      living.unlink(0);
      assertEquals(List.of("pe-1.heap"), names(ofDead.path()));
      assertFalse(Files.exists(diskFolder.getParent()));
      assertEquals(List.of(0), living.unlinked());
      assertEquals(0, window.get(JAVA_LONG, 4096), "readers see zeros");
      living.unmap(0);
      assertEquals(List.of(), living.unlinked());
      assertEquals(Optional.empty(), living.peer(0));
    }
    ofLiving.remove();
  }

  @Test
  void mapsOtherPesForReadingOnlySoThatStrayStoresDoNoHarm() throws Exception {
    HeapFolder folder = folder();
    try (HostHeap heap = HostHeap.create(folder, 0, MIB)) {
      HostHeap peer = HostHeap.create(folder, 1, MIB);
      MemorySegment window = heap.peer(1).orElseThrow();
      assertThrows(IllegalArgumentException.class, () -> window.set(JAVA_LONG, 0, 1));
      assertEquals("r--s", permissions(window.address()));
      assertEquals("rw-s", permissions(heap.local().address()));
      heap.unmap(1);
      assertEquals("r--p", permissions(window.address()), "of addresses that stay reserved");
      peer.close();
    }
    folder.remove();
  }

  /** The permissions of a mapping, as the kernel shows them. */
  private static String permissions(long address) throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/maps"))) {
      String[] range = line.substring(0, line.indexOf(' ')).split("-", -1);
      if (Long.parseUnsignedLong(range[0], 16) <= address
          && address < Long.parseUnsignedLong(range[1], 16)) {
        return line.split(" ", -1)[1];
      }
    }
    throw new AssertionError("%x is not mapped".formatted(address));
  }

  @Test
  void changesAWindowOfADeadPeForAllWhoMapIt() throws Exception {
    HeapFolder folder = folder();
    try (HostHeap heap = HostHeap.create(folder, 0, MIB);
        HostHeap third = HostHeap.create(folder, 2, MIB)) {
      HostHeap dead = HostHeap.create(folder, 1, MIB);
      assertTrue(dead.backing().reserve(0, MIB));
      MemorySegment window = third.peer(1).orElseThrow();
      assertThrows(
          IllegalStateException.class, () -> heap.changeDead(1, 1 << 16, change -> {}), "alive");
      dead.close();
      AtomicReference<MemorySegment> kept = new AtomicReference<>();
      heap.changeDead(
          1,
          1 << 16,
          change -> {
            assertEquals(1 << 16, change.byteSize());
            change.set(JAVA_LONG, 8, 42);
            kept.set(change);
          });
      assertEquals(42, window.get(JAVA_LONG, 8));
      assertThrows(IllegalStateException.class, () -> kept.get().set(JAVA_LONG, 8, 43));
      assertThrows(
          IndexOutOfBoundsException.class, () -> heap.changeDead(1, 2 * MIB, change -> {}));
    }
    folder.remove();
  }

  @Test
  void seesWhetherAMappedPeIsAliveWithoutOpeningItsFile() throws Exception {
    HeapFolder folder = folder();
    try (HostHeap heap = HostHeap.create(folder, 0, MIB)) {
      HostHeap peer = HostHeap.create(folder, 1, MIB);
      assertTrue(heap.isAlive(0));
      assertTrue(heap.peer(1).isPresent());
      assertEquals(Set.of(0, 1), heap.mapped());
      Files.delete(folder.heapFile(1));
      assertTrue(heap.isAlive(1));
      assertTrue(heap.isAlive(1), "the first test released the lock");
      peer.close();
      assertFalse(heap.isAlive(1));
    }
    folder.remove();
  }

  /** A copy in progress succeeds or is refused; the JVM does not crash. */
  @Test
  void closeDuringReadsIsSafe() throws Exception {
    for (int round = 0; round < 20; round++) {
      HeapFolder folder = folder();
      HostHeap heap = HostHeap.create(folder, 0, 8 * MIB);
      AtomicReference<Throwable> failure = new AtomicReference<>();
      CountDownLatch reading = new CountDownLatch(2);
      List<Thread> readers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        readers.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      MemorySegment to = MemorySegment.ofArray(new byte[(int) (8 * MIB)]);
                      try {
                        while (true) {
                          to.copyFrom(heap.local());
                          reading.countDown();
                        }
                      } catch (IllegalStateException e) {
                        failure.compareAndSet(null, e);
                      }
                    }));
      }
      assertTrue(reading.await(2, TimeUnit.MINUTES));
      heap.close();
      for (Thread reader : readers) {
        assertTrue(reader.join(Duration.ofMinutes(2)), "a reader is still running");
      }
      assertTrue(failure.get() != null);
    }
  }

  @Test
  void freedSlabsReleaseTheirMemory() throws Exception {
    HeapFolder folder = folder();
    try (HostHeap heap = HostHeap.create(folder, 0, 64 * MIB)) {
      SlabAllocator allocator = new SlabAllocator(4 * MIB, 60 * MIB, heap.backing(), 4 * MIB);
      Slab slab = allocator.allocate(40 * MIB).orElseThrow();
      heap.local().asSlice(slab.offset(), slab.bytes()).fill((byte) 1);
      assertTrue(blocksOf512(folder.heapFile(0)) >= 40 * MIB / 512);

      allocator.free(slab);

      long kept = blocksOf512(folder.heapFile(0));
      assertTrue(kept >= 4 * MIB / 512 && kept < 5 * MIB / 512, kept + " blocks");
      assertEquals(
          1, heap.local().get(JAVA_BYTE, slab.offset()), "retained memory keeps its content");
      assertEquals(0, heap.local().get(JAVA_BYTE, slab.end() - 1));
    }
  }

  @Test
  void allocatorMayOutliveItsHeap() {
    HostHeap heap = HostHeap.create(folder(), 0, 16 * MIB);
    SlabAllocator allocator = new SlabAllocator(0, 16 * MIB, heap.backing(), 0);
    Slab slab = allocator.allocate(4 * MIB).orElseThrow();
    heap.close();

    allocator.free(slab);

    assertEquals(0, allocator.stats().backedBytes());
    assertThrows(IllegalStateException.class, () -> allocator.allocate(1));
    assertEquals(0, allocator.stats().usedBytes());
  }

  @Test
  void leavesTheFolderWithoutItsFiles() throws Exception {
    HeapFolder folder = folder();
    try (HostHeap heap = HostHeap.create(folder, 0, 8 * MIB, 3);
        HostHeap other = HostHeap.create(folder, 1, MIB)) {
      assertTrue(heap.backing().reserve(0, 8 * MIB));
      MemorySegment window = other.peer(0).orElseThrow();
      heap.local().set(JAVA_LONG, 7 * MIB, 42);

      heap.leaveFolder();

      assertEquals(List.of("pe-1.heap"), names(folder.path()));
      assertEquals(42, window.get(JAVA_LONG, 7 * MIB), "tasks may still read it");
    }
    folder.remove();
  }

  private static List<String> names(Path folder) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.map(path -> "" + path.getFileName()).sorted().toList();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void copiesAndMappingsSeeTheSameBytes(int files) {
    HeapFolder folder = folder();
    try (HostHeap owner = HostHeap.create(folder, 0, 8 * MIB, files);
        HostHeap reader = HostHeap.create(folder, 1, MIB);
        Arena arena = Arena.ofConfined()) {
      WindowCopies copies = owner.copying();
      assertTrue(owner.backing().reserve(0, 8 * MIB));
      MemorySegment run = arena.allocate(3 * MIB);
      run.fill((byte) 5);
      owner.local().set(JAVA_BYTE, 2 * MIB - 1, (byte) 7);

      copies.write(2 * MIB, run);

      MemorySegment copy = arena.allocate(3 * MIB + 2);
      reader.read(0, 2 * MIB - 1, copy);
      assertEquals(7, copy.get(JAVA_BYTE, 0));
      assertEquals(-1, copy.asSlice(1, 3 * MIB).mismatch(run));
      assertEquals(0, copy.get(JAVA_BYTE, 3 * MIB + 1), "memory that was only reserved");
      assertEquals(-1, owner.local().asSlice(2 * MIB, 3 * MIB).mismatch(run));
      assertEquals(-1, reader.peer(0).orElseThrow().asSlice(2 * MIB, 3 * MIB).mismatch(run));
      assertThrows(
          IndexOutOfBoundsException.class, () -> copies.write(6 * MIB, run), "past the window");
    }
  }

  @Test
  void reservesMemoryThatCopiesNeedWithoutMappingIt() throws Exception {
    HeapFolder folder = folder();
    try (HostHeap heap = HostHeap.create(folder, 0, 64 * MIB);
        Arena arena = Arena.ofConfined()) {
      WindowCopies copies = heap.copying();
      SlabAllocator allocator = new SlabAllocator(0, 64 * MIB, heap.limitedBacking(), 0);
      long before = ProcessMemory.mappedBytes();
      Slab slab = allocator.allocate(48 * MIB).orElseThrow();
      assertTrue(blocksOf512(folder.heapFile(0)) >= 48 * MIB / 512, "reserved");
      copies.write(slab.offset(), arena.allocate(48 * MIB));
      long mapped = ProcessMemory.mappedBytes() - before;
      assertTrue(mapped < 16 * MIB, mapped + " bytes were mapped");

      allocator.free(slab);

      assertTrue(blocksOf512(folder.heapFile(0)) < 4 * MIB / 512, "given back");
    }
  }

  @Test
  void readingATruncatedHeapFileFails() throws Exception {
    HeapFolder folder = folder();
    try (HostHeap owner = HostHeap.create(folder, 0, 8 * MIB);
        HostHeap reader = HostHeap.create(folder, 1, MIB);
        Arena arena = Arena.ofConfined()) {
      assertTrue(owner.backing().reserve(0, 8 * MIB));
      MemorySegment copy = arena.allocate(MIB);
      reader.read(0, 4 * MIB, copy);
      try (FileChannel file = FileChannel.open(folder.heapFile(0), StandardOpenOption.WRITE)) {
        file.truncate(5 * MIB);
      }
      HeapException e = assertThrows(HeapException.class, () -> reader.read(0, 4 * MIB, copy));
      assertTrue(e.getMessage().contains("it was truncated"), e.getMessage());
      HeapException missing = assertThrows(HeapException.class, () -> reader.read(7, 0, copy));
      assertTrue(missing.getMessage().contains("PE 7 has no heap file"), missing.getMessage());
    }
  }

  /** As with Docker's default, the window is longer than the file system. */
  @Test
  void allocationsAreEmptyWhenTheFileSystemIsFull() throws Exception {
    allocationsAreEmptyWhenTheFileSystemIsFull(false);
  }

  @Test
  void allocationsForCopiesAreEmptyWhenTheFileSystemIsFull() throws Exception {
    allocationsAreEmptyWhenTheFileSystemIsFull(true);
  }

  /** Reserves every page that the file system has left. */
  private static void fill(HostHeap heap) {
    long at = 0;
    while (at < heap.size() && heap.backing().reserve(at, 4096)) {
      at += 4096;
    }
  }

  private void allocationsAreEmptyWhenTheFileSystemIsFull(boolean copying) throws Exception {
    Path small = Files.createDirectory(base.resolve("small"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", small.toString()) == 0,
        "only root can mount a small tmpfs");
    try {
      HeapFolder folder = HeapFolder.open(small, FolderToken.random(), List.of(base));
      try (HostHeap heap = HostHeap.create(folder, 0, 64 * MIB)) {
        if (copying) {
          heap.copying();
        }
        SlabAllocator allocator = new SlabAllocator(0, 64 * MIB, heap.backing(), 0);
        List<Slab> slabs = new ArrayList<>();
        Optional<Slab> slab = allocator.allocate(3 * MIB);
        while (slab.isPresent()) {
          heap.local().asSlice(slab.get().offset(), slab.get().bytes()).fill((byte) 1);
          slabs.add(slab.get());
          slab = allocator.allocate(3 * MIB);
        }
        assertEquals(4, slabs.size());
        assertEquals(Optional.empty(), allocator.allocate(20 * MIB));
        slabs.forEach(allocator::free);
        assertTrue(allocator.allocate(14 * MIB).isPresent(), "all memory is available again");
        HeapException e =
            assertThrows(
                HeapException.class,
                () -> {
                  assertFalse(heap.backing().reserve(0, 64 * MIB));
                  fill(heap);
                  HostHeap.create(folder, 1, MIB);
                });
        assertTrue(e.getMessage().contains("set spark.symshuffle.heap.dir"), e.getMessage());
        assertFalse(Files.exists(folder.heapFile(1)), "the unfinished file is removed");
      }
    } finally {
      assertEquals(0, run("umount", small.toString()));
    }
  }

  private static int run(String... command) {
    return ChildProcess.of(command).run(Duration.ofMinutes(10)).status();
  }

  private static long blocksOf512(Path file) {
    ChildProcess.Result stat =
        ChildProcess.of("stat", "-c", "%b", file.toString()).run(Duration.ofMinutes(10));
    return Long.parseLong(stat.output().strip());
  }
}
