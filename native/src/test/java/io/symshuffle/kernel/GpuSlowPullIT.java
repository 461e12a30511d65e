// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.cuda.CudaContext;
import io.symshuffle.cuda.CudaDriver;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceBuffer;
import io.symshuffle.cuda.DeviceBytes;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.Gpus;
import io.symshuffle.cuda.PinnedBuffer;
import io.symshuffle.ffi.Segments;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Pulls whose last stores come when the test opens a gate, on one real GPU: what a launch uses
 * stays as it is until the launch is done, although its caller gave up after a millisecond.
 */
@Tag("gpu")
class GpuSlowPullIT {
  private static final Duration IMPATIENT = Duration.ofMillis(1);
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int BYTES = 3_000_001;

  /** Bytes around a destination, which must not change. */
  private static final int GUARD = 4096;

  private static final VarHandle WORD = Segments.varHandle(JAVA_INT);

  private CudaContext context;

  /** A word that slow_kernels.cu waits for. */
  private PinnedBuffer gate;

  private Kernels kernels;
  private DeviceBuffer source;
  private byte[] content;

  @BeforeEach
  void start() throws Exception {
    CudaDriver driver = Gpus.assume();
    KernelImage image = KernelImage.find("slow/symshuffle.fatbin");
    assumeTrue(image.absence().isEmpty(), () -> image.absence().orElseThrow());
    context = driver.device(0).openPrimaryContext();
    context.use();
    kernels = Kernels.load(context, image, 0);
    gate = context.allocatePinned(Integer.BYTES);
    openGate();
    content = new byte[BYTES];
    new Random(BYTES).nextBytes(content);
    source = context.allocate(BYTES);
    try (Arena arena = Arena.ofConfined();
        CudaStream stream = context.newStream()) {
      MemorySegment copy = arena.allocate(BYTES);
      MemorySegment.copy(content, 0, copy, JAVA_BYTE, 0, BYTES);
      stream.copyIn(source.range(), copy);
      MemorySegment address = arena.allocate(JAVA_LONG);
      address.set(JAVA_LONG, 0, gate.range().address());
      stream.copyIn(kernels.module().module().variable("symshuffle_gate").orElseThrow(), address);
      stream.synchronize(LIMIT);
    }
  }

  @AfterEach
  void end() {
    if (context != null) {
      openGate();
      kernels.close(LIMIT);
      source.close();
      gate.close();
      context.close();
    }
  }

  @RepeatedTest(50)
  void lateBytesArriveInsideTheirRange() throws Exception {
    try (CudaStream stream = context.newStream();
        DeviceBuffer target = zeros(stream);
        KernelLaunch launch = pull(target)) {
      closeGate();
      launch.queue(stream);
      assertThrows(TimeoutException.class, () -> launch.await(stream, IMPATIENT));
      openGate();
      launch.await(stream, LIMIT);
      assertArrives(target);
    }
  }

  @RepeatedTest(100)
  void memoryOfAbandonedLaunchIsNotReused() throws Exception {
    List<CudaStream> streams = new ArrayList<>();
    List<DeviceBuffer> targets = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      CudaStream stream = context.newStream();
      streams.add(stream);
      targets.add(zeros(stream));
    }
    // Workspaces for all, since CUDA may wait for running kernels when it allocates memory.
    List<KernelLaunch> unused = targets.stream().map(this::pull).toList();
    unused.forEach(KernelLaunch::close);
    closeGate();
    for (int i = 0; i < streams.size(); i++) {
      CudaStream stream = streams.get(i);
      KernelLaunch launch = pull(targets.get(i));
      launch.queue(stream);
      assertThrows(TimeoutException.class, () -> launch.await(stream, IMPATIENT));
      // The next launch must not write its table over this one's.
      launch.close();
    }
    openGate();
    for (int i = 0; i < streams.size(); i++) {
      streams.get(i).synchronize(LIMIT);
      assertArrives(targets.get(i));
      targets.get(i).close();
      streams.get(i).close();
    }
  }

  @Test
  void kernelsStayLoadedWhileOneIsRunning() throws Exception {
    try (CudaStream stream = context.newStream();
        DeviceBuffer target = zeros(stream);
        KernelLaunch launch = pull(target)) {
      closeGate();
      launch.queue(stream);
      assertFalse(kernels.close(IMPATIENT));
      openGate();
      launch.await(stream, LIMIT);
      assertArrives(target);
    }
    assertTrue(kernels.close(LIMIT));
  }

  /** Lets no pull end. */
  private void closeGate() {
    WORD.setVolatile(gate.memory(), 0L, 0);
  }

  private void openGate() {
    WORD.setVolatile(gate.memory(), 0L, 1);
  }

  private KernelLaunch pull(DeviceBuffer target) {
    List<Piece> pieces = List.of(new Piece(source.range(), target.range().slice(GUARD, BYTES), 1));
    return kernels.pull(pieces, kernels.planFor(pieces, 1));
  }

  private DeviceBuffer zeros(CudaStream stream) throws TimeoutException {
    DeviceBuffer buffer = context.allocate(BYTES + 2L * GUARD);
    stream.fill(buffer.range(), (byte) 0);
    stream.synchronize(LIMIT);
    return buffer;
  }

  private void assertArrives(DeviceBuffer target) throws TimeoutException {
    assertArrayEquals(content, read(target.range().slice(GUARD, BYTES)));
    for (long guard : new long[] {0, GUARD + BYTES}) {
      for (byte each : read(target.range().slice(guard, GUARD))) {
        assertEquals(0, each, "a byte outside the destination changed");
      }
    }
  }

  private byte[] read(DeviceRange range) throws TimeoutException {
    try (CudaStream stream = context.newStream()) {
      return DeviceBytes.read(stream, range);
    }
  }
}
