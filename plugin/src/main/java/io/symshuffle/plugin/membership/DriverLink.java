// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.plugin.membership.Message.Join;
import io.symshuffle.plugin.membership.Message.Refusal;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor's connection to the driver. The caller sets a limit for every wait; Spark's own
 * timeout is two minutes and applies to the whole application.
 */
public final class DriverLink {
  private static final Logger LOG = LoggerFactory.getLogger(DriverLink.class);

  /** After this time the log says what a silent executor waits for. */
  private static final Duration SILENCE = Duration.ofSeconds(10);

  private final PluginContext context;
  private final Duration silence;
  private final Consumer<String> log;

  public DriverLink(PluginContext context) {
    this(context, SILENCE, LOG::info);
  }

  /**
   * @param silence how long a wait may be before the log says what it is for
   * @param log receives the sentence
   */
  DriverLink(PluginContext context, Duration silence, Consumer<String> log) {
    this.context = context;
    this.silence = silence;
    this.log = log;
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
    return send(
        MessageSerializer.write(message), limit, "to " + message.getClass().getSimpleName());
  }

  /**
   * Joins, as {@link #ask} does. The push address, an {@code RpcEndpointRef}, can be read only by
   * Spark's transport, so it travels next to the message.
   *
   * @param pushAddress where the driver can reach this executor; empty if nowhere
   */
  Message join(Join join, Optional<Object> pushAddress, Duration limit)
      throws IOException, TimeoutException, InterruptedException {
    byte[] message = MessageSerializer.write(join);
    return send(
        pushAddress.isPresent() ? new Object[] {message, pushAddress.get()} : message,
        limit,
        "before executor %s can start".formatted(join.executorId()));
  }

  /**
   * Sends a message that has no answer.
   *
   * @throws IOException if the driver cannot be reached
   */
  public void tell(Message message) throws IOException {
    context.send(MessageSerializer.write(message));
  }

  private Message send(Object request, Duration limit, String purpose)
      throws IOException, TimeoutException, InterruptedException {
    FutureTask<Object> asking = new FutureTask<>(() -> context.ask(request));
    DaemonThreads.start("symshuffle-ask-driver", asking);
    try {
      Message answer = MessageSerializer.read(await(asking, limit, purpose));
      if (answer instanceof Refusal(String reason)) {
        throw new IOException("the driver refuses: " + reason);
      }
      return answer;
    } catch (TimeoutException e) {
      TimeoutException late =
          new TimeoutException("the driver did not answer within " + limit.toMillis() + " ms");
      late.initCause(e);
      throw late;
    } catch (ExecutionException e) {
      throw new IOException("the request to the driver failed: " + e.getCause(), e.getCause());
    } catch (IllegalArgumentException e) {
      throw new IOException("invalid answer from the driver: " + e.getMessage(), e);
    } finally {
      asking.cancel(true);
    }
  }

  private Object await(FutureTask<Object> asking, Duration limit, String purpose)
      throws ExecutionException, TimeoutException, InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    if (silence.compareTo(limit) < 0) {
      try {
        return asking.get(silence.toNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException ignored) {
        log.accept(
            "Waiting for the driver's answer %s: %d s so far, at most %d s"
                .formatted(purpose, silence.toSeconds(), limit.toSeconds()));
      }
    }
    return asking.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
  }
}
