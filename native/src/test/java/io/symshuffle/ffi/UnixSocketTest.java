// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.ffi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnixSocketTest {
  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration SHORT = Duration.ofMillis(50);

  @TempDir Path folder;

  @Test
  @SuppressWarnings("try") // Closed early on purpose.
  void passesADescriptorThatReadsTheSameFile() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "hello");
    try (UnixSocket listening = UnixSocket.listen(folder.resolve("s"), LIMIT);
        UnixSocket client = UnixSocket.connect(folder.resolve("s"), LIMIT);
        UnixSocket server = listening.accept(LIMIT).orElseThrow();
        NativeFile opened = NativeFile.open(file).orElseThrow()) {
      try (Descriptor sent = Descriptor.own(OpenFiles.numberOf(file)).duplicate()) {
        server.send(new byte[] {1, 2, 3}, Optional.of(sent));
      }
      opened.close();
      UnixSocket.Message message = client.receive(16).orElseThrow();
      assertArrayEquals(new byte[] {1, 2, 3}, message.bytes());
      try (Descriptor received = message.descriptor().orElseThrow()) {
        assertEquals("hello", Files.readString(Path.of("/proc/self/fd/" + received.number())));
      }
    }
  }

  @Test
  void discardsMessageThatIsTooLong() {
    try (UnixSocket listening = UnixSocket.listen(folder.resolve("s"), LIMIT);
        UnixSocket client = UnixSocket.connect(folder.resolve("s"), LIMIT);
        UnixSocket server = listening.accept(LIMIT).orElseThrow()) {
      client.send(new byte[9], Optional.empty());
      client.send(new byte[8], Optional.empty());
      assertEquals(Optional.empty(), server.receive(8));
      assertEquals(8, server.receive(8).orElseThrow().bytes().length);
    }
  }

  @Test
  void everyCallEndsAtItsLimit() {
    try (UnixSocket listening = UnixSocket.listen(folder.resolve("s"), SHORT)) {
      assertEquals(Optional.empty(), listening.accept(SHORT));
      try (UnixSocket client = UnixSocket.connect(folder.resolve("s"), SHORT)) {
        NativeCallException late = assertThrows(NativeCallException.class, () -> client.receive(8));
        assertTrue(late.is(Errno.EAGAIN), late.getMessage());
      }
    }
  }

  @Test
  void reportsWhyThereIsNoConnection() {
    Path path = folder.resolve("s");
    assertTrue(refusal(path).is(Errno.ENOENT));
    UnixSocket.listen(path, SHORT).close();
    assertTrue(refusal(path).is(Errno.ECONNREFUSED), "the file of a process that has died");
    NativeCallException taken =
        assertThrows(NativeCallException.class, () -> UnixSocket.listen(path, SHORT));
    assertTrue(taken.is(Errno.EADDRINUSE), taken.getMessage());
  }

  @Test
  void refusesPathThatDoesNotFit() {
    Path path = folder.resolve("x".repeat(108));
    assertThrows(IllegalArgumentException.class, () -> UnixSocket.listen(path, SHORT));
  }

  private static NativeCallException refusal(Path path) {
    return assertThrows(NativeCallException.class, () -> UnixSocket.connect(path, SHORT));
  }
}
