// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import static java.util.Objects.requireNonNull;

import io.symshuffle.plugin.membership.Message.Join;
import io.symshuffle.plugin.membership.Message.Refusal;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.plugin.PluginContext;

/**
 * An executor's connection to the driver. The caller sets a limit for every wait; Spark's own
 * timeout is two minutes and applies to the whole application.
 */
public final class DriverLink {
  private final PluginContext context;

  /**
   * Uses Spark's plugin RPC.
   *
   * @param context the executor's
   */
  public DriverLink(PluginContext context) {
    this.context = requireNonNull(context, "context is null");
  }

  /**
   * Sends a request and waits for the answer.
   *
   * @throws TimeoutException if there is none within the limit
   * @throws IOException if the driver cannot be reached or refuses
   * @throws InterruptedException if the thread is interrupted
   */
  Message ask(Message message, Duration limit)
      throws IOException, TimeoutException, InterruptedException {
    return send(MessageSerializer.write(message), limit);
  }

  /**
   * Joins. The push address, an {@code RpcEndpointRef}, can be read only by Spark's transport, so
   * it travels next to the message.
   *
   * @param pushAddress where the driver can reach this executor; empty if nowhere
   * @throws TimeoutException if there is no answer within the limit
   * @throws IOException if the driver cannot be reached or refuses
   * @throws InterruptedException if the thread is interrupted
   */
  Message join(Join join, Optional<Object> pushAddress, Duration limit)
      throws IOException, TimeoutException, InterruptedException {
    byte[] message = MessageSerializer.write(join);
    return send(
        pushAddress.isPresent() ? new Object[] {message, pushAddress.get()} : message, limit);
  }

  /**
   * Sends a message that has no answer.
   *
   * @param message the message
   * @throws IOException if the driver cannot be reached
   */
  public void tell(Message message) throws IOException {
    context.send(MessageSerializer.write(message));
  }

  private Message send(Object request, Duration limit)
      throws IOException, TimeoutException, InterruptedException {
    FutureTask<Object> asking = new FutureTask<>(() -> context.ask(request));
    Thread.ofPlatform().daemon().name("symshuffle-ask-driver").start(asking);
    try {
      Message answer = MessageSerializer.read(asking.get(limit.toNanos(), TimeUnit.NANOSECONDS));
      if (answer instanceof Refusal(String reason)) {
        throw new IOException("The driver refuses: " + reason);
      }
      return answer;
    } catch (TimeoutException e) {
      TimeoutException late =
          new TimeoutException("The driver did not answer within " + limit.toMillis() + " ms");
      late.initCause(e);
      throw late;
    } catch (ExecutionException e) {
      throw new IOException("The request to the driver failed: " + e.getCause(), e.getCause());
    } catch (IllegalArgumentException e) {
      throw new IOException("Invalid answer from the driver: " + e.getMessage(), e);
    } finally {
      asking.cancel(true);
    }
  }
}
