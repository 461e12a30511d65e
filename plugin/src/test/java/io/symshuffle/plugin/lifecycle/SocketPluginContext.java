// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.lifecycle;

import io.symshuffle.plugin.membership.ExecutorContext;
import io.symshuffle.plugin.membership.Message;
import io.symshuffle.plugin.membership.MessageSerializer;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.function.Consumer;
import org.apache.spark.SparkConf;

/** The plugin context of a process that talks to a {@link DriverServer}. */
final class SocketPluginContext extends ExecutorContext {
  private final int port;
  private final ObjectOutputStream out;
  private final ObjectInputStream in;

  SocketPluginContext(int port, String executorId, SparkConf conf)
      throws IOException, ClassNotFoundException {
    super(executorId, conf);
    this.port = port;
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    out = new ObjectOutputStream(socket.getOutputStream());
    in = new ObjectInputStream(socket.getInputStream());
    out.writeObject(DriverServer.REQUESTS);
  }

  /** Opens the connection for pushes. */
  void receive(Consumer<Message> onMessage) {
    try {
      Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
      ObjectOutputStream hello = new ObjectOutputStream(socket.getOutputStream());
      ObjectInputStream pushes = new ObjectInputStream(socket.getInputStream());
      hello.writeObject(DriverServer.PUSHES + executorID());
      hello.flush();
      pushes.readObject();
      Thread.ofPlatform()
          .daemon()
          .name("pushes")
          .start(
              () -> {
                try {
                  while (true) {
                    onMessage.accept(MessageSerializer.read(pushes.readObject()));
                  }
                } catch (IOException | ClassNotFoundException e) {
                  // The driver is gone.
                }
              });
    } catch (IOException | ClassNotFoundException e) {
      throw new IllegalStateException("the driver cannot be reached", e);
    }
  }

  @Override
  public synchronized Object ask(Object message) throws Exception {
    out.reset();
    out.writeObject(message);
    out.flush();
    return in.readObject();
  }

  @Override
  public void send(Object message) {
    try {
      ask(message);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
