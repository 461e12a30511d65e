// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.membership;

import static java.util.Objects.requireNonNull;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.spark.SparkConf;

/** The plugin context of executor 7, whose driver is a function. */
public final class FakeContext extends ExecutorContext {
  /** What the driver answers. */
  @FunctionalInterface
  public interface Driver {
    /** Answers a message. */
    Object answer(Message message) throws Exception;
  }

  private final Driver driver;
  private final List<Message> told = Collections.synchronizedList(new ArrayList<>());

  private Consumer<Message> onTold = message -> {};
  private Optional<Object> pushAddress = Optional.empty();

  /** Creates a context with a driver. */
  public FakeContext(Driver driver) {
    super("7", new SparkConf(false));
    this.driver = requireNonNull(driver, "driver is null");
  }

  /** What was sent without asking for an answer. */
  public List<Message> told() {
    return told;
  }

  /** The push address that came with a message. */
  public Optional<Object> pushAddress() {
    return pushAddress;
  }

  /** Called for each message that is sent without asking for an answer. */
  public void onTold(Consumer<Message> listener) {
    onTold = requireNonNull(listener, "listener is null");
  }

  @Override
  public Object ask(Object message) throws Exception {
    if (message instanceof Object[] join) {
      pushAddress = Optional.of(join[1]);
      return driver.answer(MessageSerializer.read(join[0]));
    }
    return driver.answer(MessageSerializer.read(message));
  }

  @Override
  public void send(Object message) {
    Message decoded = MessageSerializer.read(message);
    told.add(decoded);
    onTold.accept(decoded);
  }
}
