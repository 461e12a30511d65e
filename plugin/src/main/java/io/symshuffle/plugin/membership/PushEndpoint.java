// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import java.util.function.Consumer;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.ThreadSafeRpcEndpoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.PartialFunction;
import scala.runtime.AbstractPartialFunction;
import scala.runtime.BoxedUnit;

/**
 * Receives the driver's messages on an executor, over the connection that the executor opened to
 * the driver, so it needs no port. Spark's plugin interface has no messages in this direction;
 * Spark's own executors receive theirs like this.
 */
public final class PushEndpoint implements ThreadSafeRpcEndpoint {
  private static final Logger LOG = LoggerFactory.getLogger(PushEndpoint.class);

  private final RpcEnv rpcEnv;
  private final RpcAddress driver;
  private final Consumer<Message> onMessage;
  private final Runnable onDriverGone;

  /**
   * @param onDriverGone called when the connection to the driver breaks
   */
  public PushEndpoint(
      RpcEnv rpcEnv, RpcAddress driver, Consumer<Message> onMessage, Runnable onDriverGone) {
    this.rpcEnv = rpcEnv;
    this.driver = driver;
    this.onMessage = onMessage;
    this.onDriverGone = onDriverGone;
  }

  @Override
  public RpcEnv rpcEnv() {
    return rpcEnv;
  }

  @Override
  public PartialFunction<Object, BoxedUnit> receive() {
    return new AbstractPartialFunction<>() {
      @Override
      public boolean isDefinedAt(Object message) {
        return true;
      }

      @Override
      public BoxedUnit apply(Object message) {
        handle(message);
        return BoxedUnit.UNIT;
      }
    };
  }

  @Override
  public void onDisconnected(RpcAddress remote) {
    if (remote.equals(driver)) {
      onDriverGone.run();
    }
  }

  private void handle(Object received) {
    try {
      onMessage.accept(MessageSerializer.read(received));
    } catch (IllegalArgumentException e) {
      LOG.warn("Invalid message from the driver: {}", e.getMessage());
    }
  }
}
