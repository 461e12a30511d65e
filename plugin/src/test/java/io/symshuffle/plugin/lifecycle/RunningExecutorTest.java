// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.gpu.CudaHeap;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.device.DeviceBackend;
import io.symshuffle.plugin.device.DeviceMember;
import io.symshuffle.plugin.membership.ApplicationEnd;
import io.symshuffle.plugin.metrics.UsageReporter;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.fixture.Runtimes;
import io.symshuffle.shuffle.output.BlockTable;
import io.symshuffle.shuffle.output.RowOutputBuilder;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunningExecutorTest {
  @TempDir private Path temp;
  private Path memory;
  private final FolderToken token = FolderToken.random();
  private final ApplicationEnd end = new ApplicationEnd();
  private final RunningTasks tasks = new RunningTasks();

  @BeforeEach
  void makeFolder() throws IOException {
    memory = Files.createDirectory(temp.resolve("memory"));
  }

  @Test
  void leavesItsMapOutputsButNoUnusedMemoryToReadersWhenTheApplicationContinues() throws Exception {
    HeapOpener.Opened heap = open(0);
    RunningExecutor member = member(heap, false);
    write(member, 1);
    SlabAllocator slabs = member.runtime().slabs();
    slabs.free(slabs.allocate(4 << 20).orElseThrow());
    assertTrue(slabs.stats().backedBytes() >= 4 << 20, "memory is kept while shuffles run");
    member.stop(tasks);
    assertTrue(Files.exists(heap.folder().heapFile(0)));
    assertTrue(slabs.stats().backedBytes() <= 2 << 20, slabs.stats()::toString);
    assertThrows(RuntimeException.class, () -> heap.heap().local());
  }

  @Test
  void removesItsHeapAndFilesWithoutMapOutputsAlthoughTheApplicationContinues() throws Exception {
    HeapOpener.Opened heap = open(0);
    RunningExecutor member = member(heap, false);
    write(member, 1);
    Path disk = Files.createFile(heap.diskFolders().getFirst().resolve("file"));
    member.runtime().store().unregister(1);
    member.stop(tasks);
    assertFalse(Files.exists(heap.folder().path()));
    assertFalse(Files.exists(disk.getParent().getParent()));
  }

  /** Writes a map output of 64 bytes. */
  private static void write(RunningExecutor member, int shuffleId) throws IOException {
    RowOutputBuilder output = member.runtime().store().buildRows(new MapOutputId(shuffleId, 1), 1);
    output.addRun(
        Arena.ofAuto().allocate(64, 8),
        new BlockTable(1, new int[] {0}, new int[] {0, 8}, new int[] {0}));
    output.commit();
  }

  @Test
  void removesTheFolderAtTheEndOfTheApplicationEvenIfHeld() throws Exception {
    HeapOpener.Opened heap = open(0);
    HeapOpener.Opened other = open(1);
    end.announced();
    member(heap, false).stop(tasks);
    assertFalse(Files.exists(heap.folder().path()));
    other.heap().close();
  }

  @Test
  void removesTheFolderInLocalMode() throws Exception {
    HeapOpener.Opened heap = open(0);
    member(heap, true).stop(tasks);
    assertFalse(Files.exists(heap.folder().path()));
  }

  @Test
  void removesTheFolderAsLastExecutorOfTheHostWhenTheDriverIsGone() throws Exception {
    HeapOpener.Opened first = open(0);
    HeapOpener.Opened last = open(1);
    RunningExecutor firstMember = member(first, false);
    RunningExecutor lastMember = member(last, false);
    write(firstMember, 1);
    end.driverGone();
    firstMember.stop(tasks);
    assertTrue(Files.exists(first.folder().heapFile(0)));
    lastMember.stop(tasks);
    assertFalse(Files.exists(first.folder().path()));
  }

  @Test
  void keepsTheHeapMappedButRemovesItsFileWhileATaskRuns() throws Exception {
    HeapOpener.Opened heap = open(0);
    HeapOpener.Opened last = open(1);
    RunningExecutor member = member(heap, false);
    RunningExecutor lastMember = member(last, false);
    tasks.begin();
    end.driverGone();
    member.stop(tasks);
    assertFalse(Files.exists(heap.folder().heapFile(0)));
    assertTrue(Files.exists(heap.folder().path()), "another executor uses the folder");
    assertEquals(heap.heap().size(), heap.heap().local().byteSize());
    lastMember.stop(tasks);
    assertFalse(Files.exists(heap.folder().path()));
    heap.heap().close();
    last.heap().close();
  }

  @Test
  void unmapsTheHeapInLocalModeWhenTheLastTaskHasEnded() throws Exception {
    HeapOpener.Opened heap = open(0);
    Set<Thread> before = threads();
    RunningExecutor member = member(heap, true);
    tasks.begin();
    member.stop(tasks);
    assertFalse(Files.exists(heap.folder().path()));
    assertEquals(heap.heap().size(), heap.heap().local().byteSize());
    Set<Thread> left = threads();
    left.removeAll(before);

    tasks.end();
    for (Thread thread : left) {
      assertTrue(thread.join(Duration.ofMinutes(2)), thread::getName);
    }
    assertThrows(RuntimeException.class, () -> heap.heap().local());
  }

  private static Set<Thread> threads() {
    Set<Thread> threads = new HashSet<>(Thread.getAllStackTraces().keySet());
    threads.removeIf(thread -> !thread.getName().startsWith("symshuffle-"));
    return threads;
  }

  @Test
  void removesTheHeapFileButNotTheGpuMemoryThatOthersReadWhileATaskRuns() throws Exception {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    HeapOpener.Opened heap = open(0);
    HeapOpener.Opened other = open(1);
    CudaDriver driver =
        CudaDriver.open(List.of(FakeLibraries.cuda(temp.resolve("cuda")).toString()));
    try (CudaContext context = driver.device(0).openPrimaryContext();
        DeviceTier reader = tier(context, other)) {
      Slab slab;
      try (DeviceTier tier = tier(context, heap)) {
        DeviceBackend.Choice choice = new DeviceBackend.Choice(DeviceBackend.CUDA, "a test");
        DeviceMember device = new DeviceMember(tier, choice, () -> {}, () -> {}, 0);
        slab = tier.slabs().allocate(1000).orElseThrow();
        tasks.begin();
        end.driverGone();
        member(heap, Optional.of(device), false).stop(tasks);
        assertFalse(Files.exists(heap.folder().heapFile(0)));
      }
      // Others look every 100 ms, and unmap when they have looked twice.
      Thread.sleep(500);
      assertTrue(
          reader.heap().range(0, slab.offset(), slab.bytes()).isPresent(),
          "others have unmapped the GPU memory that their tasks read");
    }
    heap.heap().close();
    other.heap().close();
  }

  private DeviceTier tier(CudaContext context, HeapOpener.Opened heap) {
    return new DeviceTier(
        CudaHeap.open(context, heap.folder(), heap.heap().myPe(), 2 << 20, 2 << 20),
        Kernels.load(context, new KernelImage(Optional.of(new byte[16])), 0));
  }

  private HeapOpener.Opened open(int pe) {
    Map<String, String> conf =
        Map.of("spark.symshuffle.heap.dir", memory.toString(), "spark.symshuffle.heap.size", "8m");
    return new HeapOpener(ConfigReader.read(conf), List.of(temp), false, false, 1)
        .open(token, pe, 2);
  }

  private RunningExecutor member(HeapOpener.Opened heap, boolean local) throws IOException {
    return member(heap, Optional.empty(), local);
  }

  private RunningExecutor member(
      HeapOpener.Opened heap, Optional<DeviceMember> device, boolean local) throws IOException {
    return new RunningExecutor(
        Runtimes.start(heap.heap(), heap.diskFolders()),
        heap.folder(),
        end,
        device,
        new UsageReporter("7", Optional::empty, () -> false, "", 0, report -> {}),
        local);
  }
}
