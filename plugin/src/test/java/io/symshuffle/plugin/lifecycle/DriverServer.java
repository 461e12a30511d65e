// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.lifecycle;

import io.symshuffle.plugin.membership.DriverRpcHandler;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * A driver behind a local socket, for executors that are processes without Spark. Each has one
 * connection for its requests and one for pushes, which it opens first.
 */
final class DriverServer implements Closeable {
  /** The first word on a connection. */
  static final String PUSHES = "pushes to ";

  /** The first word on a connection. */
  static final String REQUESTS = "requests";

  private final ServerSocket server;
  private final Map<String, ObjectOutputStream> pushes = new ConcurrentHashMap<>();
  private volatile DriverRpcHandler handler;

  DriverServer() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start("driver", this::accept);
  }

  void open(DriverRpcHandler opened) {
    handler = opened;
  }

  int port() {
    return server.getLocalPort();
  }

  /** Sends to the executor with this push address, which is its id. */
  Optional<Consumer<byte[]>> reach(Object address) {
    ObjectOutputStream out = pushes.get(address);
    return Optional.ofNullable(out).map(to -> message -> send(to, message));
  }

  private static void send(ObjectOutputStream to, Object message) {
    try {
      synchronized (to) {
        to.writeObject(message);
        to.flush();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        start("driver connection", () -> serve(socket));
      }
    } catch (IOException e) {
      // Closed: the test is over.
    }
  }

  private void serve(Socket socket) {
    try {
      ObjectOutputStream out = new ObjectOutputStream(socket.getOutputStream());
      out.flush();
      ObjectInputStream in = new ObjectInputStream(socket.getInputStream());
      String purpose = (String) in.readObject();
      if (purpose.startsWith(PUSHES)) {
        pushes.put(purpose.substring(PUSHES.length()), out);
        out.writeObject("ready");
        out.flush();
        return;
      }
      while (true) {
        Object request = in.readObject();
        Object answer;
        synchronized (this) {
          answer = handler.receive(request);
        }
        out.writeObject(answer);
        out.flush();
      }
    } catch (EOFException | ClassNotFoundException e) {
      // The executor has ended.
    } catch (IOException e) {
      // The executor was killed.
    }
  }

  private static void start(String name, Runnable work) {
    Thread.ofPlatform().daemon().name(name).start(work);
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
