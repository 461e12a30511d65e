// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.heap.Slab;
import io.symshuffle.kernel.KernelImage;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.kernel.LaunchPlan;
import io.symshuffle.kernel.Piece;
import io.symshuffle.nvshmem.NvshmemException;
import io.symshuffle.nvshmem.NvshmemHeap;
import io.symshuffle.nvshmem.NvshmemRuntime;
import io.symshuffle.nvshmem.PeSetup;
import io.symshuffle.shuffle.fixture.InParallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs two PEs in this process, on fakes, with the PE numbers that they have in a larger cluster.
 */
class DeviceTierTest {
  private static final int[] PES = {4, 7};
  private static final long WINDOW_BYTES = 4L << 20;
  private static final Duration LIMIT = Duration.ofMinutes(10);

  @TempDir Path folder;
  private final NvshmemRuntime[] runtimes = new NvshmemRuntime[2];
  private final NvshmemHeap[] heaps = new NvshmemHeap[2];
  private final DeviceTier[] tiers = new DeviceTier[2];

  @BeforeEach
  void start() throws Exception {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    InParallel.run(stop -> start(0), stop -> start(1));
  }

  private void start(int index) throws Exception {
    NvshmemRuntime runtime =
        PeSetup.FAKE.open(folder, index, NvshmemHeap.windowBytes(WINDOW_BYTES));
    runtimes[index] = runtime;
    PeSetup.start(runtime, folder, "1", index, 2);
    heaps[index] = NvshmemHeap.create(runtime, PES, WINDOW_BYTES, LIMIT);
    tiers[index] = new DeviceTier(heaps[index], kernels(index));
  }

  private Kernels kernels(int index) {
    return Kernels.load(
        runtimes[index].context(), new KernelImage(Optional.of(new byte[16])), PES[index]);
  }

  @AfterEach
  void end() {
    for (int index = 0; index < 2; index++) {
      if (tiers[index] != null) {
        tiers[index].close();
      }
      if (runtimes[index] != null) {
        runtimes[index].close();
      }
    }
  }

  @Test
  void usesPeNumbersOfCluster() {
    assertEquals(4, tiers[0].heap().myPe());
    assertEquals(7, tiers[1].heap().myPe());
    assertEquals(2, tiers[0].heap().pes().size());
    assertEquals("[4, 7]", tiers[0].heap().group());
    assertEquals(tiers[0].heap().group(), tiers[1].heap().group());
    assertEquals(Optional.of(tiers[0].window()), tiers[0].heap().range(4, 0, WINDOW_BYTES));
    assertEquals(WINDOW_BYTES, tiers[0].heap().range(7, 0, WINDOW_BYTES).orElseThrow().bytes());
  }

  @Test
  void cannotAccessBytesOutsideWindow() {
    for (int pe : PES) {
      assertEquals(Optional.empty(), tiers[0].heap().range(pe, WINDOW_BYTES - 8, 16));
      assertEquals(Optional.empty(), tiers[0].heap().range(pe, -8, 16));
      assertEquals(Optional.empty(), tiers[0].heap().range(pe, Long.MAX_VALUE, 16));
    }
  }

  @Test
  void cannotAccessPeOutsideEpoch() {
    for (int pe : new int[] {0, 1, 5, -1, Integer.MAX_VALUE}) {
      assertEquals(Optional.empty(), tiers[0].heap().range(pe, 64, 64), "PE " + pe);
    }
  }

  @Test
  void allocatesInsideWindowAndNeverAtOffsetZero() {
    long end = 0;
    int slabs = 0;
    for (Optional<Slab> slab = tiers[0].slabs().allocate(512 << 10);
        slab.isPresent();
        slab = tiers[0].slabs().allocate(512 << 10)) {
      assertTrue(slab.get().offset() > 0);
      end = Math.max(end, slab.get().offset() + slab.get().bytes());
      slabs++;
    }
    assertTrue(slabs >= 7, slabs + " slabs of 512 KiB in a window of 4 MiB");
    assertTrue(end <= WINDOW_BYTES, "a slab ends at " + end);
  }

  @Test
  void keepsWindowsReadableAndStopsCallingNvshmemWhenPeIsLost() {
    fill(tiers[1], tiers[1].window().slice(4096, 16), 0x33);
    tiers[0].lost(7);
    assertFalse(tiers[0].isWhole());
    assertEquals(
        Optional.of("PE 7 of the device epoch is lost"), runtimes[0].lost(), "the first reason");
    assertThrows(NvshmemException.class, () -> runtimes[0].barrier(LIMIT));
    assertEquals(0x33, firstByte(tiers[0], tiers[0].heap().range(7, 4096, 16).orElseThrow()));
    assertTrue(tiers[0].slabs().allocate(64).isPresent());
    tiers[0].lost(4);
    assertEquals(Optional.of("PE 7 of the device epoch is lost"), runtimes[0].lost());
    tiers[0].close();
  }

  @Test
  void ignoresLossOfPeOutsideEpoch() {
    tiers[0].lost(5);
    assertTrue(tiers[0].isWhole());
    assertEquals(Optional.empty(), runtimes[0].lost());
  }

  @Test
  void waitsForLaunchBeforeItFreesItsMemory() throws Exception {
    fill(tiers[1], tiers[1].window().slice(4096, 64), 0x21);
    fill(tiers[0], tiers[0].window().slice(8192, 64), 0);
    try (CudaStream stream = tiers[0].context().newStream()) {
      KernelLaunch launch = pull(stream);
      Thread close = Thread.ofPlatform().start(tiers[0]::close);
      close.join(200);
      assertTrue(close.isAlive(), "the tier was closed while a kernel was running");
      FakeLibraries.script(folder.resolve("cuda-0"));
      launch.await(stream, LIMIT);
      launch.close();
      close.join();
      assertFalse(tiers[0].isBusyAfterClose());
    }
  }

  @Test
  void leaksMemoryOfLaunchThatDoesNotEnd() throws Exception {
    fill(tiers[1], tiers[1].window().slice(4096, 64), 0x21);
    DeviceRange to = tiers[0].window().slice(8192, 64);
    fill(tiers[0], to, 0);
    try (CudaStream stream = tiers[0].context().newStream();
        KernelLaunch launch = pull(stream)) {
      tiers[0].close(Duration.ofMillis(20));
      assertTrue(tiers[0].isBusyAfterClose());
      assertThrows(IllegalStateException.class, () -> pull(stream), "no launch after close");
      FakeLibraries.script(folder.resolve("cuda-0"));
      launch.await(stream, LIMIT);
      assertEquals(0x21, firstByte(tiers[0], to));
    }
  }

  @Test
  void leaksMemoryOfLaunchThatIsAbandoned() throws Exception {
    try (CudaStream stream = tiers[0].context().newStream()) {
      KernelLaunch launch = pull(stream);
      assertThrows(TimeoutException.class, () -> launch.await(stream, Duration.ofMillis(20)));
      launch.close();
      tiers[0].close(LIMIT);
      assertTrue(tiers[0].isBusyAfterClose());
      FakeLibraries.script(folder.resolve("cuda-0"));
    }
  }

  /** Queues a pull from PE 7 to PE 4, which does not run until the script is reset. */
  private KernelLaunch pull(CudaStream stream) {
    FakeLibraries.script(folder.resolve("cuda-0"), "hold");
    List<Piece> pieces =
        List.of(
            new Piece(
                tiers[1].window().slice(4096, 64), heaps[0].window().slice(8192, 64), PES[1]));
    KernelLaunch launch = tiers[0].kernels().pull(pieces, new LaunchPlan(1, 1, 1));
    launch.queue(stream);
    return launch;
  }

  private static void fill(DeviceTier tier, DeviceRange range, int value) {
    try (CudaStream stream = tier.context().newStream()) {
      stream.fill(range, (byte) value);
      stream.synchronize();
    }
  }

  private static int firstByte(DeviceTier tier, DeviceRange range) {
    try (Arena arena = Arena.ofConfined();
        CudaStream stream = tier.context().newStream()) {
      MemorySegment copy = arena.allocate(range.bytes());
      stream.copyOut(copy, range);
      stream.synchronize();
      return copy.get(ValueLayout.JAVA_BYTE, 0);
    }
  }
}
