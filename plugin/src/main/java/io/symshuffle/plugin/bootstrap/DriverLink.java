// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import io.symshuffle.plugin.bootstrap.Message.Refusal;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.api.plugin.PluginContext;

/**
 * An executor's way to the driver, with a limit on every wait; Spark's own is two minutes and holds
 * for the whole application.
 */
final class DriverLink {
  private final PluginContext context;

  DriverLink(PluginContext context) {
    this.context = requireNonNull(context, "context is null");
  }

  /**
   * Asks and waits for the answer.
   *
   * @throws TimeoutException if there is none within the limit
   * @throws IOException if the driver cannot be reached or refuses
   * @throws InterruptedException if the thread is interrupted
   */
  Message ask(Message message, Duration limit)
      throws IOException, TimeoutException, InterruptedException {
    Object[] encoded = Messages.encode(message);
    FutureTask<Object> asking = new FutureTask<>(() -> context.ask(encoded));
    Thread.ofPlatform().daemon().name("symshuffle-ask-driver").start(asking);
    try {
      Message answer = Messages.decode(asking.get(limit.toNanos(), TimeUnit.NANOSECONDS));
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
      throw new IOException("The driver could not be asked: " + e.getCause(), e.getCause());
    } catch (IllegalArgumentException e) {
      throw new IOException("The driver's answer is of no use: " + e.getMessage(), e);
    } finally {
      asking.cancel(true);
    }
  }

  /** Sends without waiting for an answer. */
  void tell(Message message) throws IOException {
    context.send(Messages.encode(message));
  }
}
