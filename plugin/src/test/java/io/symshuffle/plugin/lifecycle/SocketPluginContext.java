// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.lifecycle;

import com.codahale.metrics.MetricRegistry;
import io.symshuffle.plugin.membership.Message;
import io.symshuffle.plugin.membership.MessageSerializer;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.resource.ResourceInformation;

/** The plugin context of a process that talks to a {@link DriverServer}. */
final class SocketPluginContext implements PluginContext {
  private final int port;
  private final String executorId;
  private final SparkConf conf;
  private final MetricRegistry metrics = new MetricRegistry();
  private final ObjectOutputStream out;
  private final ObjectInputStream in;

  SocketPluginContext(int port, String executorId, SparkConf conf)
      throws IOException, ClassNotFoundException {
    this.port = port;
    this.executorId = executorId;
    this.conf = conf;
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
      hello.writeObject(DriverServer.PUSHES + executorId);
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

  @Override
  public MetricRegistry metricRegistry() {
    return metrics;
  }

  @Override
  public SparkConf conf() {
    return conf;
  }

  @Override
  public String executorID() {
    return executorId;
  }

  @Override
  public String hostname() {
    throw new NullPointerException("as in Spark, outside local mode");
  }

  @Override
  public Map<String, ResourceInformation> resources() {
    return Map.of();
  }
}
