// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.cuda;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.ffi.Descriptor;
import io.symshuffle.ffi.NativeCallException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The fake driver notices what CUDA does not: memory that is freed, unmapped or used while an
 * operation that is not done uses it. The suites of GPUs rely on it.
 */
class FakeDriverTest {
  private static final long PER_THREAD = 2;

  @TempDir private Path folder;

  private CudaContext context;
  private CudaStream stream;

  @BeforeEach
  void open() {
    assumeTrue(FakeLibraries.areAvailable(), "gcc and g++ are needed to compile the fakes");
    Path library = FakeLibraries.cuda(folder);
    context = CudaDriver.open(List.of(library.toString())).device(0).openPrimaryContext();
    stream = context.newStream();
  }

  @AfterEach
  void close() {
    if (context != null) {
      FakeLibraries.script(folder);
      context.close();
    }
  }

  @Test
  void freeingMemoryOfQueuedWorkIsAnErrorThatNamesBoth() {
    DeviceBuffer memory = context.allocate(512);
    FakeLibraries.script(folder, "hold");
    stream.copy(memory.range().slice(0, 256), memory.range().slice(256, 256));
    memory.close();
    assertViolation(stream::isDone, "cuMemFree takes 512 bytes at", "cuMemcpyDtoDAsync, operation");
  }

  @Test
  void unmappingMemoryOfQueuedWorkIsAnErrorThatNamesBoth() {
    long bytes = SharedMemory.granularity(context);
    DeviceBuffer source = context.allocate(256);
    AddressRange range = context.reserveAddresses(bytes);
    SharedMemory shared = context.createShared(bytes);
    range.map(0, shared, true);
    FakeLibraries.script(folder, "hold");
    stream.copy(range.range().slice(0, 256), source.range());
    assertViolation(
        () -> range.unmap(0, bytes), "cuMemUnmap takes", "cuMemcpyDtoDAsync, operation");
    range.close();
    shared.close();
  }

  @Test
  void childProcessesDoNotInheritExportedMemory() throws IOException {
    try (SharedMemory shared = context.createShared(SharedMemory.granularity(context));
        Descriptor exported = shared.export()) {
      String flags =
          Files.readAllLines(Path.of("/proc/self/fdinfo", String.valueOf(exported.number())))
              .stream()
              .filter(line -> line.startsWith("flags:"))
              .findFirst()
              .orElseThrow()
              .substring("flags:".length())
              .strip();
      int closedOnExec = 0x80000;
      assertEquals(closedOnExec, Integer.parseInt(flags, 8) & closedOnExec, flags);
    }
  }

  @Test
  void streamsThatDoNotWaitForEachOtherMustNotShareWhatOneWrites() {
    DeviceBuffer memory = context.allocate(512);
    CudaStream other = context.newStream();
    FakeLibraries.script(folder, "hold");
    stream.fill(memory.range().slice(0, 256), (byte) 1);
    assertViolation(
        () -> other.fill(memory.range().slice(128, 256), (byte) 2),
        "cuMemsetD8Async, operation 1 of stream",
        "does not wait for cuMemsetD8Async, operation 1 of stream");
  }

  @Test
  void sourceOfQueuedCopyMustNotChange() {
    DeviceBuffer memory = context.allocate(64);
    PinnedBuffer source = context.allocatePinned(64);
    source.memory().fill((byte) 1);
    FakeLibraries.script(folder, "hold");
    stream.copyIn(memory.range(), source.memory());
    source.memory().fill((byte) 2);
    FakeLibraries.script(folder);
    assertViolation(
        stream::synchronize, "in pinned memory were changed before they were read by", "cuMemcpyH");
  }

  @Test
  void eachThreadHasItsOwnDefaultStream() throws Exception {
    DeviceBuffer memory = context.allocate(64);
    CudaStream perThread = context.foreignStream(PER_THREAD);
    FakeLibraries.script(folder, "hold");
    inOtherThread(
        () -> {
          perThread.fill(memory.range(), (byte) 1);
          assertFalse(perThread.isDone());
          return null;
        });
    assertTrue(perThread.isDone(), "the stream of a thread that has queued nothing");
  }

  private static void inOtherThread(Callable<Void> action) throws Exception {
    FutureTask<Void> task = new FutureTask<>(action);
    Thread.ofPlatform().start(task);
    task.get();
  }

  /** Asserts that a call reports a violation, and all later ones. */
  private void assertViolation(Runnable call, String... parts) {
    String message = assertThrows(NativeCallException.class, call::run).getMessage();
    for (String part : parts) {
      assertTrue(message.contains(part), message);
    }
    assertThrows(NativeCallException.class, () -> context.allocate(64));
    assertTrue(message.contains(FakeLibraries.violation(folder).orElseThrow()), message);
  }
}
