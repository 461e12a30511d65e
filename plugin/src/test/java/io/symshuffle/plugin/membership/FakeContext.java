// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.membership;

import static java.util.Objects.requireNonNull;

import com.codahale.metrics.MetricRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.resource.ResourceInformation;

/** The plugin context of executor 7, whose driver is a function. */
public final class FakeContext implements PluginContext {
  /** What the driver answers. */
  @FunctionalInterface
  public interface Driver {
    /** Answers a message. */
    Object answer(Message message) throws Exception;
  }

  private final Driver driver;
  private final SparkConf conf = new SparkConf(false);
  private final MetricRegistry metrics = new MetricRegistry();
  private final List<Message> told = Collections.synchronizedList(new ArrayList<>());

  private Consumer<Message> onTold = message -> {};
  private Optional<Object> pushAddress = Optional.empty();

  /** Creates a context with a driver. */
  public FakeContext(Driver driver) {
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
    return "7";
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
