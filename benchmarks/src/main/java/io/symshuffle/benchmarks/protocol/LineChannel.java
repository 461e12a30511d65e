// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** A connected socket that carries lines. Any thread may write; one thread reads. */
public final class LineChannel implements AutoCloseable {
  private final Socket socket;
  private final BufferedReader reader;
  private final Object writing = new Object();

  @GuardedBy("writing")
  private final Writer writer;

  /**
   * Creates a channel that owns the socket: {@link #close} closes it.
   *
   * @throws IOException if the socket is closed
   */
  public LineChannel(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    this.reader = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    this.writer = new BufferedWriter(new OutputStreamWriter(socket.getOutputStream(), UTF_8));
  }

  /**
   * Sends one line.
   *
   * @throws IOException if the peer has closed the connection
   */
  public void send(String line) throws IOException {
    synchronized (writing) {
      writer.write(line);
      writer.write('\n');
      writer.flush();
    }
  }

  /**
   * Waits for one line.
   *
   * @param limit how long to wait at most; zero for no limit
   * @throws SocketTimeoutException if none arrived in time; the channel cannot be used anymore
   * @throws EOFException if the peer closed the connection
   * @throws IOException if the connection broke
   */
  public String receive(Duration limit) throws IOException {
    socket.setSoTimeout(Math.toIntExact(limit.toMillis()));
    String line = reader.readLine();
    if (line == null) {
      throw new EOFException("the peer closed the connection");
    }
    return line;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
