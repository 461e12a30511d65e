// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LineChannelTest {
  private static final Duration LONG = Duration.ofMinutes(1);

  private LineChannel here;
  private LineChannel there;

  @BeforeEach
  void connect() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket server = new ServerSocket(0, 1, loopback)) {
      here = new LineChannel(new Socket(loopback, server.getLocalPort()));
      there = new LineChannel(server.accept());
    }
  }

  @AfterEach
  void disconnect() throws IOException {
    here.close();
    there.close();
  }

  @Test
  void linesArriveInOrder() throws IOException {
    here.send("first, with ü");
    here.send("");
    here.send("third");
    assertEquals("first, with ü", there.receive(LONG));
    assertEquals("", there.receive(LONG));
    assertEquals("third", there.receive(LONG));
  }

  @Test
  void receiveTimesOut() {
    assertThrows(SocketTimeoutException.class, () -> there.receive(Duration.ofMillis(20)));
  }

  @Test
  void closedConnectionIsDetected() throws IOException {
    here.close();
    assertThrows(EOFException.class, () -> there.receive(LONG));
  }
}
