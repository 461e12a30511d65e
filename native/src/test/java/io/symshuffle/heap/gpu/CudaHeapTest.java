// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceBytes;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.UnixSocket;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.SharedMemory;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.folder.BootId;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFile;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.folder.HeapHeader;
import io.symshuffle.heap.folder.HeapHeaderDescriptor;
import io.symshuffle.heap.host.HostHeap;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** PEs in this process, each with its own copy of the fake driver; they share nothing but files. */
class CudaHeapTest {
  private static final FolderToken TOKEN = CudaHeapMaker.TOKEN;
  private static final long CHUNK = CudaHeapMaker.CHUNK_BYTES;
  private static final long WINDOW = 8 * CHUNK;
  private static final Duration LIMIT = Duration.ofMinutes(10);

  /** More than {@link #LIMIT}: PEs do not leave because the time is up. */
  private static final Duration PATIENCE = Duration.ofHours(1);

  @TempDir(factory = SharedMemory.class)
  Path folder;

  @TempDir Path drivers;

  private final List<AutoCloseable> open = new ArrayList<>();
  private HeapFolder heaps;

  @BeforeEach
  void openFolder() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    heaps = HeapFolder.open(folder, TOKEN, List.of(folder));
  }

  @AfterEach
  void leavesNothingBehind() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
    assertEquals(0, FakeMemory.mappings(), "mapped chunks after all heaps were closed");
    assertEquals(0, FakeMemory.descriptors(), "open descriptors after all heaps were closed");
    try (var files = Files.list(heaps.path())) {
      assertEquals(
          List.of(), files.filter(file -> file.toString().endsWith(".sock")).toList(), "sockets");
    }
  }

  @Test
  void setsNothingAsideAtTheStart() throws Exception {
    CudaHeap heap = heap(0);
    assertEquals(WINDOW, heap.size());
    assertEquals(0, FakeMemory.mappings());
    assertEquals(0, FakeMemory.descriptors());
    assertEquals(0, heap.slabs().stats().backedBytes());
    assertEquals(Optional.empty(), heap.range(0, 1 << 20, 64), "a part without memory");
  }

  @Test
  void createsChunksForSlabsAndKeepsOneWhenIdle() throws Exception {
    CudaHeap heap = heap(0);
    Slab small = heap.slabs().allocate(1000).orElseThrow();
    assertEquals(1, FakeMemory.mappings());
    Slab large = heap.slabs().allocate(3 * CHUNK).orElseThrow();
    long chunks = FakeMemory.mappings();
    assertTrue(chunks >= 4 && chunks <= 5, chunks + " chunks");
    assertTrue(heap.range(0, large.offset(), large.bytes()).isPresent());
    heap.slabs().free(large);
    heap.slabs().free(small);
    assertEquals(chunks, FakeMemory.mappings(), "freed memory is kept for the next map output");
    heap.trim();
    assertEquals(1, FakeMemory.mappings());
    assertEquals(Optional.empty(), heap.range(0, large.offset(), large.bytes()));
  }

  @Test
  void leavesTheReserveOfTheGpuFree() throws Exception {
    long reserve = 3 * CHUNK;
    CudaContext context = context(0);
    FakeLibraries.script(drivers.resolve("cuda-0"), "gpu_bytes=" + (reserve + 2 * CHUNK));
    HostHeap host = HostHeap.create(heaps, 0, 64 << 10);
    open.add(host);
    CudaHeap heap = CudaHeap.open(context, heaps, 0, WINDOW, CHUNK, reserve, true);
    open.add(heap);
    while (heap.slabs().allocate(CHUNK / 2).isPresent()) {
      assertTrue(context.memory().freeBytes() >= reserve, "free: " + context.memory());
    }
    assertEquals(reserve, context.memory().freeBytes(), "the heap has all but the reserve");
    FakeLibraries.script(drivers.resolve("cuda-0"));
  }

  @Test
  void hasNoRoomWhenTheGpuIsFullAndGrowsWhenItIsNot() throws Exception {
    CudaHeap heap = heap(0);
    FakeLibraries.script(drivers.resolve("cuda-0"), "vmm_bytes=" + 2 * CHUNK);
    assertEquals(Optional.empty(), heap.slabs().allocate(3 * CHUNK));
    Slab slab = heap.slabs().allocate(CHUNK / 2).orElseThrow();
    assertEquals(Optional.empty(), heap.slabs().allocate(3 * CHUNK));
    heap.slabs().free(slab);
    FakeLibraries.script(drivers.resolve("cuda-0"));
    heap.slabs().free(heap.slabs().allocate(3 * CHUNK).orElseThrow());
    assertEquals(Optional.empty(), heap.slabs().allocate(WINDOW), "more than the limit");
  }

  @Test
  void usesChunksAgainThatCannotBeUnmapped() throws Exception {
    CudaHeap owner = heap(0);
    CudaHeap reader = heap(1);
    owner.slabs().free(owner.slabs().allocate(4 * CHUNK).orElseThrow());
    awaitLooks(1);
    long mapped = FakeMemory.mappings();
    FakeLibraries.script(drivers.resolve("cuda-0"), "refuse_cuMemUnmap=2");
    owner.trim();
    FakeLibraries.script(drivers.resolve("cuda-0"));
    assertTrue(FakeMemory.mappings() < mapped, "the others were unmapped");
    Slab again = owner.slabs().allocate(4 * CHUNK).orElseThrow();
    fill(owner.range(0, again.offset(), again.bytes()).orElseThrow(), 7);
    assertEquals(7, firstByte(reader.range(0, again.offset(), again.bytes()).orElseThrow()));
    owner.slabs().free(again);
  }

  @Test
  void readersUnmapAtTheNextLookWhatTheyCouldNot() throws Exception {
    CudaHeap owner = heap(0);
    heap(1);
    owner.slabs().free(owner.slabs().allocate(4 * CHUNK).orElseThrow());
    awaitLooks(1);
    FakeLibraries.script(drivers.resolve("cuda-1"), "refuse_cuMemUnmap=1");
    owner.trim();
    await("each PE maps one chunk", () -> FakeMemory.mappings() == 2);
    FakeLibraries.script(drivers.resolve("cuda-1"));
  }

  @Test
  void readersSeeEachNewContentOfAChunk() throws Exception {
    CudaHeap owner = heap(0);
    CudaHeap reader = heap(1);
    for (int round = 1; round <= 5; round++) {
      Slab slab = owner.slabs().allocate(2 * CHUNK).orElseThrow();
      fill(owner.window().slice(slab.offset(), slab.bytes()), round);
      assertEquals(round, firstByte(reader.range(0, slab.offset(), slab.bytes()).orElseThrow()));
      owner.slabs().free(slab);
      owner.slabs().trim(0);
      assertEquals(Optional.empty(), reader.range(0, slab.offset(), slab.bytes()));
    }
    await("the reader unmaps what the owner has destroyed", () -> FakeMemory.mappings() == 0);
    await("the reader closes the descriptors", () -> FakeMemory.descriptors() == 0);
  }

  @Test
  void withoutAccessToPeersEachHasItsOwnMemoryOnly() throws Exception {
    CudaHeap owner = withoutPeers(0);
    CudaHeap other = withoutPeers(1);
    Slab slab = owner.slabs().allocate(1000).orElseThrow();
    fill(owner.window().slice(slab.offset(), slab.bytes()), 0x41);
    assertEquals(0x41, firstByte(owner.range(0, slab.offset(), slab.bytes()).orElseThrow()));
    assertEquals(Optional.empty(), other.range(0, slab.offset(), slab.bytes()));
    assertEquals(List.of(1), other.pes());
    assertNotEquals(owner.group(), other.group(), "neither reads what the other has written");
    assertEquals(1, FakeMemory.mappings());
    owner.leave(PATIENCE);
    owner.close();
    assertEquals(0, FakeMemory.mappings(), "nobody has the memory of a PE that has ended");
  }

  private CudaHeap withoutPeers(int pe) throws Exception {
    CudaContext context = context(pe);
    HostHeap host = HostHeap.create(heaps, pe, 64 << 10);
    open.add(host);
    CudaHeap heap = CudaHeap.open(context, heaps, pe, WINDOW, CHUNK, 0, false);
    open.add(heap);
    return heap;
  }

  @Test
  void lateReaderGetsDescriptorsOfAClosedOwnerFromAnotherReader() throws Exception {
    CudaHeap owner = heap(0);
    CudaHeap reader = heap(1);
    Slab slab = owner.slabs().allocate(3 * CHUNK).orElseThrow();
    fill(owner.window().slice(slab.offset(), slab.bytes()), 0x41);
    owner.leave(PATIENCE);
    owner.close();
    CudaHeap late = heap(2);
    assertEquals(List.of(0, 1, 2), late.pes());
    assertEquals(0x41, firstByte(late.range(0, slab.offset(), slab.bytes()).orElseThrow()));
    reader.close();
    CudaHeap later = heap(3);
    assertEquals(0x41, firstByte(later.range(0, slab.offset(), slab.bytes()).orElseThrow()));
  }

  @Test
  void ownerThatLeavesHandsOverItsNewestChunksFirst() throws Exception {
    CudaHeap owner = heap(0);
    CudaHeap reader = heap(1);
    for (int round = 0; round < 7; round++) {
      Slab slab = owner.slabs().allocate(CHUNK / 2 + 1).orElseThrow();
      fill(owner.window().slice(slab.offset(), slab.bytes()), round);
    }
    long used = owner.slabs().stats().backedBytes();
    owner.leave(PATIENCE);
    owner.close();
    for (long offset = CHUNK; offset < used; offset += CHUNK) {
      assertTrue(reader.range(0, offset, 64).isPresent(), "offset " + offset);
    }
  }

  @Test
  void leavesAtOnceIfItsFolderIsGone() throws Exception {
    CudaHeap owner = heap(0);
    heap(1);
    assertTrue(owner.slabs().allocate(1000).isPresent());
    heaps.remove();
    assertTimeoutPreemptively(LIMIT, () -> owner.leave(PATIENCE), "it waits for nobody");
    Files.createDirectory(heaps.path());
  }

  @Test
  void lastPeThatLeavesWaitsForOneThatStarts() throws Exception {
    CudaHeap dead = heap(0);
    CudaHeap last = heap(1);
    Slab slab = dead.slabs().allocate(1000).orElseThrow();
    fill(dead.window().slice(slab.offset(), slab.bytes()), 0x43);
    await("mapped", () -> FakeMemory.mappings() == 2);
    CudaContext contextOfLate = context(2);
    dead.close();
    Thread leaving =
        Thread.ofPlatform()
            .start(
                () -> {
                  last.leave(PATIENCE);
                  last.close();
                });
    assertFalse(
        leaving.join(Duration.ofMillis(300)), "it has left, although nobody has the memory");
    CudaHeap late = heap(2, contextOfLate);
    leaving.join();
    assertEquals(dead.group(), late.group());
    assertEquals(0x43, firstByte(late.range(0, slab.offset(), slab.bytes()).orElseThrow()));
  }

  @Test
  void peThatLeavesWaitsUntilAllOthersHaveLookedTwice() throws Exception {
    CudaHeap leaving = heap(0);
    heap(1);
    assertTrue(leaving.slabs().allocate(1000).isPresent());
    try (ChunkDirectory slow = ChunkDirectory.create(heaps, 2, WINDOW, CHUNK, 0);
        ChunkDirectory fast = ChunkDirectory.open(heaps, 1).orElseThrow();
        ChunkDirectory left = ChunkDirectory.open(heaps, 0).orElseThrow()) {
      Thread thread = Thread.ofPlatform().daemon().start(() -> leaving.leave(PATIENCE));
      long refreshes = fast.completedRefreshes();
      await("PE 1 has refreshed", () -> fast.completedRefreshes() > refreshes + 3);
      slow.refreshed();
      await("PE 1 has refreshed", () -> fast.completedRefreshes() > refreshes + 5);
      assertFalse(left.hasLeft(), "PE 2 has refreshed once");
      await(
          "PE 0 leaves when PE 2 has refreshed again",
          () -> {
            slow.refreshed();
            return left.hasLeft();
          });
      thread.join();
      CudaHeap late = heap(3);
      assertEquals("CUDA since PE 0", late.group(), "PE 1 still has the memory");
    }
    Files.delete(ChunkDirectory.path(heaps, 2));
  }

  @Test
  void startsAGroupWhenOnlyPesThatHaveLeftAreThere() throws Exception {
    CudaHeap left = heap(0);
    left.leave();
    assertEquals("CUDA since PE 1", heap(1).group());
  }

  @Test
  void forgetsADeadPeWhoseHeapFileIsGone() throws Exception {
    CudaHeap owner = heap(0);
    CudaHeap reader = heap(1);
    Slab slab = owner.slabs().allocate(1000).orElseThrow();
    assertTrue(reader.range(0, slab.offset(), slab.bytes()).isPresent());
    owner.close();
    assertEquals(1, FakeMemory.mappings(), "the reader's");
    Files.delete(heaps.heapFile(0));
    await("the reader unmaps the chunk", () -> FakeMemory.mappings() == 0);
    await("the table is removed", () -> Files.notExists(ChunkDirectory.path(heaps, 0)));
    await("the PE is forgotten", () -> reader.pes().equals(List.of(1)));
    assertEquals(Optional.empty(), reader.range(0, slab.offset(), slab.bytes()));
  }

  @Test
  void keepsADeadPeMappedWithoutItsHeapFileIfItHasAskedForThat() throws Exception {
    CudaHeap owner = heap(0);
    CudaHeap reader = heap(1);
    Slab slab = owner.slabs().allocate(1000).orElseThrow();
    fill(owner.window().slice(slab.offset(), slab.bytes()), 0x44);
    DeviceRange read = reader.range(0, slab.offset(), slab.bytes()).orElseThrow();
    owner.keepMapped();
    owner.close();
    Files.delete(heaps.heapFile(0));
    awaitLooks(1);
    assertEquals(0x44, firstByte(read));
    assertEquals(1, FakeMemory.mappings(), "the reader's");
  }

  @Test
  void keepsDeadPesMappedWhileTheFolderOfTheApplicationIsRemoved() throws Exception {
    CudaHeap owner = heap(0);
    CudaHeap reader = heap(1);
    CudaHeap other = heap(2);
    Slab slab = owner.slabs().allocate(1000).orElseThrow();
    DeviceRange read = reader.range(0, slab.offset(), slab.bytes()).orElseThrow();
    fill(owner.window().slice(slab.offset(), slab.bytes()), 0x42);
    owner.close();
    Files.delete(heaps.heapFile(1));
    Files.delete(heaps.heapFile(0));
    await("the other PE forgets it", () -> other.pes().equals(List.of(1, 2)));
    for (int round = 0; round < 3; round++) {
      long mappings = FakeMemory.mappings();
      assertTrue(other.slabs().allocate(CHUNK).isPresent());
      await("the reader has refreshed", () -> FakeMemory.mappings() >= mappings + 2);
    }
    assertEquals(List.of(0, 1, 2), reader.pes());
    assertEquals(0x42, firstByte(read), "what a kernel may still read");
  }

  @Test
  void triesAgainWhenThereWasNoMemoryToMapAChunk() throws Exception {
    CudaHeap owner = heap(0);
    CudaHeap reader = heap(1);
    FakeLibraries.script(drivers.resolve("cuda-1"), "vmm_access_rc=2");
    Slab slab = owner.slabs().allocate(1000).orElseThrow();
    assertEquals(Optional.empty(), reader.range(0, slab.offset(), slab.bytes()));
    FakeLibraries.script(drivers.resolve("cuda-1"));
    await("mapped", () -> reader.range(0, slab.offset(), slab.bytes()).isPresent());
  }

  @Test
  void doesNotReadWhatThisGpuCannotReach() throws Exception {
    CudaHeap owner = heap(0);
    CudaHeap reader = heap(1);
    FakeLibraries.script(drivers.resolve("cuda-1"), "vmm_access_rc=1");
    Slab slab = owner.slabs().allocate(1000).orElseThrow();
    assertEquals(Optional.empty(), reader.range(0, slab.offset(), slab.bytes()));
    assertEquals(1, FakeMemory.mappings(), "the owner's");
    assertTrue(owner.range(0, slab.offset(), slab.bytes()).isPresent());
  }

  @Test
  void findsOutAtTheStartThatMemoryCannotBeShared() throws Exception {
    Path driver = drivers.resolve("cuda-0");
    CudaContext context = context(0);
    FakeLibraries.script(driver, "vmm_access_rc=1");
    assertThrows(NativeCallException.class, () -> CudaHeap.open(context, heaps, 0, WINDOW, CHUNK));
    assertFalse(Files.exists(ChunkDirectory.path(heaps, 0)));
  }

  @Test
  void tellsToShortenThePathOfTheSocket() throws Exception {
    Path deep = Files.createDirectory(folder.resolve("x".repeat(60)));
    HeapFolder far = HeapFolder.open(deep, TOKEN, List.of(folder));
    CudaContext context = context(0);
    HeapException refusal =
        assertThrows(HeapException.class, () -> CudaHeap.open(context, far, 0, WINDOW, CHUNK));
    assertTrue(refusal.getMessage().contains("spark.symshuffle.heap.dir"), refusal.getMessage());
    assertFalse(Files.exists(ChunkDirectory.path(far, 0)), "the table of a heap that is not open");
  }

  @Test
  void ignoresTablesThatAreDamagedOrOfOthers() throws Exception {
    CudaHeap reader = heap(0);
    Files.write(ChunkDirectory.path(heaps, 5), new byte[1000]);
    HeapHeader foreign =
        new HeapHeader(
            6, 4096, 1, BootId.hash(), FolderToken.random(), List.of(folder.toAbsolutePath()));
    HeapFile.create(ChunkDirectory.path(heaps, 6), foreign).close();
    HeapHeader wrong =
        new HeapHeader(7, 4096, 1, BootId.hash(), TOKEN, List.of(folder.toAbsolutePath()));
    HeapFile file = HeapFile.create(ChunkDirectory.path(heaps, 7), wrong);
    open.add(file);
    file.mapped().populate(HeapHeaderDescriptor.WINDOW_OFFSET, 4096);
    file.window().fill((byte) 0x11);
    for (int pe = 5; pe <= 7; pe++) {
      assertEquals(Optional.empty(), reader.range(pe, 64, 64), "PE " + pe);
    }
    assertEquals(List.of(0), reader.pes());
  }

  @Test
  void survivesTruncatedTableOfAnother() throws Exception {
    CudaHeap reader = heap(0);
    try (ChunkDirectory truncated = ChunkDirectory.create(heaps, 1, WINDOW, CHUNK, 0)) {
      truncated.setMemory(0, 1);
      await("PE 0 has found it", () -> reader.pes().equals(List.of(0, 1)));
      try (FileChannel file =
          FileChannel.open(ChunkDirectory.path(heaps, 1), StandardOpenOption.WRITE)) {
        file.truncate(HeapHeaderDescriptor.WINDOW_OFFSET);
      }
      CudaHeap owner = heap(2);
      Slab slab = owner.slabs().allocate(1000).orElseThrow();
      await("PE 0 maps the chunk of PE 2", () -> FakeMemory.mappings() == 2);
      assertTrue(reader.range(2, slab.offset(), slab.bytes()).isPresent());
      assertTimeoutPreemptively(
          LIMIT, () -> reader.leave(PATIENCE), "it waits for the truncated one");
    }
    Files.delete(ChunkDirectory.path(heaps, 1));
  }

  /** Another PE may see the folder under a shorter path. */
  @Test
  void opensAndMapsOthersIfThePathOfOneSocketIsTooLong() throws Exception {
    CudaContext context = context(0);
    CudaContext other = context(2);
    Path name = heaps.path().getFileName();
    int length = folder.resolve("x").resolve(name).resolve("pe-0.sock").toString().length();
    Path deep =
        Files.createDirectory(folder.resolve("x".repeat(1 + UnixSocket.MAX_PATH_BYTES - length)));
    HeapFolder far = HeapFolder.open(deep, TOKEN, List.of(folder));
    try (ChunkDirectory longer = ChunkDirectory.create(far, 10, WINDOW, CHUNK, 10)) {
      longer.setMemory(0, 1);
      HostHeap.create(far, 0, 64 << 10).close();
      try (CudaHeap heap = CudaHeap.open(context, far, 0, WINDOW, CHUNK);
          CudaHeap owner = CudaHeap.open(other, far, 2, WINDOW, CHUNK)) {
        assertTrue(owner.slabs().allocate(1000).isPresent());
        await("PE 0 maps the chunk of PE 2", () -> FakeMemory.mappings() == 2);
        assertEquals(List.of(0, 2, 10), heap.pes());
      }
    }
  }

  private CudaHeap heap(int pe) {
    return heap(pe, context(pe));
  }

  private CudaHeap heap(int pe, CudaContext context) {
    open.add(HostHeap.create(heaps, pe, 64 << 10));
    CudaHeap heap = CudaHeap.open(context, heaps, pe, WINDOW, CHUNK);
    open.add(heap);
    return heap;
  }

  /** Waits until a PE has seen, and mapped or unmapped, all that others have changed until now. */
  private void awaitLooks(int pe) throws Exception {
    try (ChunkDirectory table = ChunkDirectory.open(heaps, pe).orElseThrow()) {
      long refreshes = table.completedRefreshes();
      await("PE " + pe + " has refreshed", () -> table.completedRefreshes() > refreshes + 3);
    }
  }

  private CudaContext context(int pe) {
    CudaDriver driver =
        CudaDriver.open(List.of(FakeLibraries.cuda(drivers.resolve("cuda-" + pe)).toString()));
    CudaContext context = driver.device(pe).openPrimaryContext();
    open.add(context);
    return context;
  }

  /** The fakes share this process's addresses, so any context can access all memory. */
  private void fill(DeviceRange range, int value) throws Exception {
    try (CudaStream stream = anyContext().newStream()) {
      stream.fill(range, (byte) value);
      stream.synchronize(LIMIT);
    }
  }

  private int firstByte(DeviceRange range) throws Exception {
    try (CudaStream stream = anyContext().newStream()) {
      byte[] bytes = DeviceBytes.read(stream, range);
      assertEquals(bytes[0], bytes[bytes.length - 1], "the last byte");
      return bytes[0];
    }
  }

  private CudaContext anyContext() {
    return (CudaContext) open.getFirst();
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.call()) {
      assertTrue(System.nanoTime() - deadline < 0, what);
      Thread.sleep(5);
    }
  }
}
