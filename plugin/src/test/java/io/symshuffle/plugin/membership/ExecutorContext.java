// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.membership;

import static java.util.Objects.requireNonNull;

import com.codahale.metrics.MetricRegistry;
import java.util.Map;
import org.apache.spark.SparkConf;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.resource.ResourceInformation;

/** The plugin context of an executor without Spark, as far as it does not concern messages. */
public abstract class ExecutorContext implements PluginContext {
  private final String executorId;
  private final SparkConf conf;
  private final MetricRegistry metrics = new MetricRegistry();

  /** Creates a context. */
  protected ExecutorContext(String executorId, SparkConf conf) {
    this.executorId = requireNonNull(executorId, "executorId is null");
    this.conf = requireNonNull(conf, "conf is null");
  }

  @Override
  public final MetricRegistry metricRegistry() {
    return metrics;
  }

  @Override
  public final SparkConf conf() {
    return conf;
  }

  @Override
  public final String executorID() {
    return executorId;
  }

  @Override
  public final String hostname() {
    throw new NullPointerException("as in Spark, outside local mode");
  }

  @Override
  public final Map<String, ResourceInformation> resources() {
    return Map.of();
  }
}
