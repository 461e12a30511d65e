// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.Slab;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.shuffle.fixture.Runtimes;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.TaskContext$;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.Option;

/** PE 0 opens symmetric memory with PE 1, whose heap is in the same folder but cannot be mapped. */
class SymmetricMemoryTest {
  private static final long BYTES = 4096;

  @TempDir Path base;
  private HeapFolder folder;
  private ShuffleRuntime runtime;

  @BeforeEach
  void start() throws IOException {
    folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    runtime = Runtimes.start(folder, 0, 1 << 20);
  }

  @AfterEach
  void end() {
    runtime.close();
    folder.remove();
  }

  @Test
  void opensNoMemoryWithPeOfTheHostWhoseHeapIsDamaged() throws IOException {
    writeHeapFile("no heap");
    assertOpeningFails(
        folder.heapFile(1) + " is not a valid heap file: it has 7 bytes, too few for a header");
  }

  @Test
  void opensNoMemoryWithPeOfTheHostWhoseHeapIsGone() throws IOException {
    writeHeapFile("");
    assertOpeningFails("its heap file is gone");
  }

  @Test
  void peWithTheSameNumberInAnotherFolderIsReachedThroughBlockTransfer() {
    Address other = new Address(1, "f".repeat(32), 0, 0, BYTES, 1, "11", "other", 1);
    Opening opening = allocate();
    assertInstanceOf(RemotePeer.class, opening.reach(other));
    opening.memory().close();
  }

  @Test
  void otherHostsGetTheLastStateWhileMemoryIsFreed() throws IOException {
    MemoryServer server = MemoryServer.of(runtime);
    FakePeer peer = peerThatHasOpened();
    SymmetricMemory memory = openedWith(peer);
    BlockId control = MemoryServer.blockId(memory.generation(), 0, ControlBlock.BYTES);
    peer.control().close();
    memory.close();
    // As before it is removed.
    server.add(memory.generation(), memory);
    assertEquals(memory.generation(), generation(server.read(control)));
    server.reclaim();
    assertEquals(memory.generation(), generation(server.read(control)));
  }

  private static long generation(ManagedBuffer block) throws IOException {
    return block.nioByteBuffer().order(ByteOrder.nativeOrder()).getLong(0);
  }

  private SymmetricMemory openedWith(FakePeer peer) {
    SymmetricMemory memory = allocate().memory();
    memory.start(List.of(peer), "open()");
    return memory;
  }

  private static FakePeer peerThatHasOpened() {
    ControlBlock control = ControlBlock.create(ControlBlock.empty().memory(), 1);
    control.setCall(1, "open()");
    control.arrive(1);
    return new FakePeer(control, 1);
  }

  @Test
  void callThatFailsInTheMiddleIsNotTakenForTheNextOne() {
    FakePeer peer = peerThatHasOpened();
    SymmetricMemory memory = openedWith(peer);
    peer.control().setCall(2, "allReduce(SUM, LONG, offset 0, 1 elements)");
    peer.control().arrive(2);
    assertThrows(
        UnsupportedOperationException.class,
        () -> memory.allReduce(Reduction.SUM, ElementType.LONG, 0, 1));
    assertEquals(
        "an earlier call failed: java.lang.UnsupportedOperationException",
        assertThrows(IllegalStateException.class, memory::barrier).getMessage());
    memory.close();
  }

  @Test
  void deadPeWhoseMemoryWasFreedByAnotherOneHasEndedButMayNotHaveClosed() throws IOException {
    ShuffleRuntime other = Runtimes.start(folder, 1, 1 << 20);
    Opening killed = allocate(other);
    Opening opening = allocate();
    Peer peer =
        opening.reach(killed.address(BlockManagerId.apply("11", "this", 1, Option.empty())));
    assertTrue(peer.isCurrent());
    other.close();
    long end = runtime.heap().peer(1).orElseThrow().byteSize();
    runtime.heap().releaseDead(1, ControlDescriptor.BYTES, end - ControlDescriptor.BYTES);
    assertFalse(peer.isCurrent());
    assertTrue(peer.hasEnded());
    assertFalse(peer.hasClosed(), "its GPU may still work");
    opening.memory().close();
  }

  @Test
  void fullHeapWaitsForMemoryOfTasksThatAreEnding() throws Exception {
    MemoryServer server = MemoryServer.of(runtime);
    FakePeer peer = peerThatHasOpened();
    SymmetricMemory memory = openedWith(peer);
    long all = runtime.slabs().stats().largestFreeBytes() + BYTES;
    assertThrows(SymmetricMemoryException.class, () -> server.allocate(all), "nothing is ending");
    memory.close();
    CompletableFuture<Slab> allocated = CompletableFuture.supplyAsync(() -> server.allocate(all));
    assertThrows(TimeoutException.class, () -> allocated.get(200, TimeUnit.MILLISECONDS));
    peer.control().close();
    runtime.slabs().free(allocated.get(5, TimeUnit.SECONDS));
  }

  private void writeHeapFile(String content) throws IOException {
    Files.writeString(folder.heapFile(1), content);
    Files.setPosixFilePermissions(folder.heapFile(1), PosixFilePermissions.fromString("rw-------"));
  }

  private void assertOpeningFails(String cause) {
    Opening opening = allocate();
    SymmetricMemory memory = opening.memory();
    String token = folder.token().hex();
    String[] addresses = {
      new Address(0, token, 0, 0, BYTES, memory.generation(), "10", "this", 1).encode(),
      new Address(1, token, 1, 0, BYTES, 1, "11", "other", 1).encode()
    };
    assertEquals(
        "PE 0 cannot map the memory of PE 1 (executor 11 on other): " + cause,
        assertThrows(SymmetricMemoryException.class, () -> opening.meet(addresses)).getMessage());
    memory.close();
  }

  private Opening allocate() {
    return allocate(runtime);
  }

  private static Opening allocate(ShuffleRuntime of) {
    return Opening.allocate(
        MemoryServer.of(of),
        TaskContext$.MODULE$.empty(),
        BYTES,
        Duration.ofSeconds(1),
        Optional.empty());
  }
}
