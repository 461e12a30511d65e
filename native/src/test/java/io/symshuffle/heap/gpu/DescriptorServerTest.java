// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.ffi.Descriptor;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.OpenFiles;
import io.symshuffle.ffi.UnixSocket;
import io.symshuffle.heap.SharedMemory;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.gpu.DescriptorMessage.ChunkId;
import io.symshuffle.heap.gpu.DescriptorMessage.Reply;
import io.symshuffle.heap.gpu.DescriptorMessage.Request;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One server and its clients, with the descriptor of a file instead of GPU memory. */
class DescriptorServerTest {
  private static final long SEED = Long.getLong("symshuffle.seed", System.nanoTime());
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final ChunkId KNOWN = new ChunkId(3, 2, 77);

  @TempDir(factory = SharedMemory.class)
  Path folder;

  private HeapFolder heaps;
  private RandomAccessFile file;
  private Descriptor descriptor;
  private DescriptorServer server;
  private final AtomicInteger lookups = new AtomicInteger();

  @BeforeEach
  void serve() throws Exception {
    heaps = HeapFolder.open(folder, CudaHeapMaker.TOKEN, List.of(folder));
    Path content = Files.writeString(folder.resolve("content"), "chunk 2 of PE 3");
    file = new RandomAccessFile(content.toFile(), "r");
    descriptor = Descriptor.own(OpenFiles.numberOf(content)).duplicate();
    server = DescriptorServer.start(heaps, 0, this::duplicate, LIMIT);
  }

  private Optional<Descriptor> duplicate(ChunkId id) {
    lookups.incrementAndGet();
    return id.equals(KNOWN) ? Optional.of(descriptor.duplicate()) : Optional.empty();
  }

  @AfterEach
  void end() throws Exception {
    server.close();
    descriptor.close();
    file.close();
  }

  @Test
  void handsOutWhatItKnows() throws Exception {
    try (Descriptor received = client(0).fetch(KNOWN).orElseThrow()) {
      assertEquals(
          "chunk 2 of PE 3", Files.readString(Path.of("/proc/self/fd/" + received.number())));
    }
    for (ChunkId unknown :
        List.of(new ChunkId(3, 2, 78), new ChunkId(3, 1, 77), new ChunkId(4, 2, 77))) {
      assertEquals(Optional.empty(), client(0).fetch(unknown));
    }
  }

  @Test
  void asksOtherPesWhenTheOwnerIsDead() {
    client(8, 5, 3, 0).fetch(KNOWN).orElseThrow().close();
    assertEquals(Optional.empty(), client(8, 5, 3).fetch(KNOWN), "nobody who knows it is asked");
  }

  @Test
  void waitsOnlyOnceForAPeThatDoesNotAnswerIfAnotherOneDoes() throws Exception {
    Path path = DescriptorServer.path(heaps, KNOWN.pe());
    Duration brief = Duration.ofSeconds(5);
    try (UnixSocket silent = mute(KNOWN.pe())) {
      DescriptorClient client = new DescriptorClient(heaps, 9, () -> List.of(KNOWN.pe(), 0), brief);
      for (int chunk = 0; chunk < 3; chunk++) {
        client.fetch(KNOWN).orElseThrow().close();
      }
      assertEquals(1, requests(silent), "how often the owner was asked before the other PE");
      assertEquals(Optional.empty(), client.fetch(new ChunkId(KNOWN.pe(), 1, 77)));
      assertEquals(1, requests(silent), "the owner is asked if nobody else knows it");
    } finally {
      Files.delete(path);
    }
  }

  /** Counts the connections that wait on a socket, and closes them. */
  private static int requests(UnixSocket socket) {
    int count = 0;
    for (Optional<UnixSocket> next = socket.accept(LIMIT);
        next.isPresent();
        next = socket.accept(LIMIT)) {
      next.get().close();
      count++;
    }
    return count;
  }

  @Test
  void refusesAnotherApplication() {
    assertTrue(say(new Request(FolderToken.random(), KNOWN).toBytes(), Optional.empty()).isEmpty());
    assertEquals(0, lookups.get());
  }

  @Test
  void refusesDamagedRequests() {
    byte[] valid = new Request(heaps.token(), KNOWN).toBytes();
    Random random = new Random(SEED);
    for (int round = 0; round < 300; round++) {
      byte[] message = valid.clone();
      int kind = random.nextInt(3);
      if (kind == 0) {
        message = new byte[1 + random.nextInt(200)];
        random.nextBytes(message);
      } else if (kind == 1) {
        message = Arrays.copyOf(valid, 1 + random.nextInt(2 * valid.length));
      } else {
        // Any bit of the mark or the token.
        message[random.nextInt(24)] ^= (byte) (1 << random.nextInt(8));
      }
      if (!Arrays.equals(message, valid)) {
        assertTrue(say(message, Optional.empty()).isEmpty(), "seed " + SEED + " round " + round);
      }
    }
    assertEquals(0, lookups.get(), "seed " + SEED);
    client(0).fetch(KNOWN).orElseThrow().close();
  }

  @Test
  void closesDescriptorsThatNobodyAskedFor() throws Exception {
    long before = openDescriptors();
    for (int round = 0; round < 50; round++) {
      UnixSocket.Message answer =
          say(new Request(heaps.token(), KNOWN).toBytes(), Optional.of(descriptor)).orElseThrow();
      answer.descriptor().orElseThrow().close();
    }
    await("at most %d descriptors are open".formatted(before))
        .atMost(LIMIT)
        .until(() -> openDescriptors() <= before);
  }

  @Test
  void silentClientDoesNotBlockOthersForLong() {
    DescriptorServer impatient =
        DescriptorServer.start(heaps, 1, this::duplicate, Duration.ofMillis(300));
    try (impatient;
        UnixSocket silent = UnixSocket.connect(DescriptorServer.path(heaps, 1), LIMIT)) {
      Optional<Descriptor> received = Optional.empty();
      long deadline = System.nanoTime() + LIMIT.toNanos();
      while (received.isEmpty()) {
        assertTrue(System.nanoTime() - deadline < 0, "the server waits for the silent client");
        received = client(1).fetch(KNOWN); // empty if this thread pauses, like the silent client
      }
      received.get().close();
      assertTrue(silent.receive(64).isEmpty(), "the server has dropped it");
    }
  }

  @Test
  void clientGivesUpOnPesThatDoNotAnswer() {
    try (UnixSocket mute1 = mute(1);
        UnixSocket mute2 = mute(2);
        UnixSocket mute3 = mute(3);
        UnixSocket mute4 = mute(4)) {
      DescriptorClient client =
          new DescriptorClient(heaps, 9, () -> List.of(1, 2, 3, 4), Duration.ofMillis(300));
      assertEquals(Optional.empty(), client.fetch(KNOWN));
      assertEquals(1, requests(mute3), "the owner is asked first");
      int others = requests(mute1) + requests(mute2) + requests(mute4);
      assertTrue(others <= 2, "it waited for all others");
    }
  }

  /** Listens, and never answers. */
  private UnixSocket mute(int pe) {
    return UnixSocket.listen(DescriptorServer.path(heaps, pe), Duration.ofMillis(1));
  }

  @Test
  void clientRefusesAnswersToOtherQuestions() throws Exception {
    try (UnixSocket liar = UnixSocket.listen(DescriptorServer.path(heaps, 3), LIMIT)) {
      List<byte[]> lies =
          List.of(
              new Reply(true, new ChunkId(3, 2, 78)).toBytes(),
              new Reply(false, KNOWN).toBytes(),
              new byte[DescriptorMessage.REPLY_BYTES],
              new byte[1],
              new byte[100]);
      long before = openDescriptors();
      for (byte[] lie : lies) {
        Thread thread =
            Thread.ofPlatform()
                .start(
                    () -> {
                      try (UnixSocket connection = liar.accept(LIMIT).orElseThrow()) {
                        connection.receive(64);
                        connection.send(lie, Optional.of(descriptor));
                      }
                    });
        assertEquals(Optional.empty(), client(3).fetch(KNOWN));
        thread.join();
      }
      assertEquals(before, openDescriptors(), "descriptors of refused answers are closed");
    }
  }

  private DescriptorClient client(Integer... pes) {
    return new DescriptorClient(heaps, 9, () -> List.of(pes), LIMIT);
  }

  private Optional<UnixSocket.Message> say(byte[] message, Optional<Descriptor> attached) {
    try (UnixSocket socket = UnixSocket.connect(DescriptorServer.path(heaps, 0), LIMIT)) {
      socket.send(message, attached);
      return socket.receive(64);
    } catch (NativeCallException e) {
      // The server may close the connection before it has read everything.
      return Optional.empty();
    }
  }

  /**
   * Counts the sockets of this process and the descriptors of the file. Tests that run at the same
   * time open others.
   */
  private long openDescriptors() throws Exception {
    Path content = folder.resolve("content");
    return OpenFiles.all().values().stream()
        .filter(file -> file.equals(content) || file.toString().startsWith("socket:"))
        .count();
  }
}
