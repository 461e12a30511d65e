// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import io.symshuffle.SymShufflePlugin;
import io.symshuffle.plugin.config.ConfigReader;
import io.symshuffle.plugin.device.DeviceLibraries;
import io.symshuffle.plugin.device.DeviceRequiredException;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SymShuffle on an executor. No task reaches the executor before {@link #init} returns.
 *
 * <p>It never throws, but in local mode if a required device heap is missing: an executor that
 * fails in its start is started again by the cluster, for ever. Without an answer of the driver it
 * works with a heap that nobody else reads in place; without any heap its tasks fail with the
 * reason, and Spark reports it as the job's failure.
 */
public final class ExecutorMember implements ExecutorPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorMember.class);

  private final Function<PluginContext, ExecutorSide> spark;
  private final DeviceLibraries libraries;
  private final EndDuringStart.Hooks hooks;
  private final RunningTasks tasks = new RunningTasks();
  private volatile Optional<RunningMember> running = Optional.empty();
  private volatile Optional<EndDuringStart> watch = Optional.empty();

  /** Called by way of {@link SymShufflePlugin}. */
  public ExecutorMember() {
    this(SparkExecutorSide::new, DeviceLibraries.system(), EndDuringStart.Hooks.ofProcess());
  }

  ExecutorMember(
      Function<PluginContext, ExecutorSide> spark,
      DeviceLibraries libraries,
      EndDuringStart.Hooks hooks) {
    this.spark = requireNonNull(spark, "spark is null");
    this.libraries = requireNonNull(libraries, "libraries is null");
    this.hooks = requireNonNull(hooks, "hooks is null");
  }

  @Override
  public void init(PluginContext context, Map<String, String> extraConf) {
    ExecutorStart start = new ExecutorStart(context, spark.apply(context), libraries);
    EndDuringStart end = new EndDuringStart(hooks, this::shutdown);
    watch = Optional.of(end);
    try {
      if (ConfigReader.isEnabled(context.conf())) {
        running = Optional.of(start.start(end));
      }
    } catch (CancellationException e) {
      LOG.info("SymShuffle does not start: {}", e.getMessage());
      ShuffleRuntime.unavailable(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      start.giveUp(e);
    } catch (DeviceRequiredException e) {
      if (start.isLocal()) {
        // Nobody starts it again, and whoever makes the context gets the sentence.
        unwatch();
        throw e;
      }
      start.giveUp(e);
    } catch (Throwable e) {
      // Whatever it is: thrown on, it would end the executor, and the next one, and the next.
      start.giveUp(e);
    } finally {
      end.started();
    }
  }

  @Override
  public void onTaskStart() {
    // All plugins have started.
    unwatch();
    tasks.begin();
  }

  @Override
  public void onTaskSucceeded() {
    tasks.end();
  }

  @Override
  public void onTaskFailed(TaskFailedReason reason) {
    tasks.end();
  }

  /** Ends what was started; called by Spark, or where that does not, see {@link EndDuringStart}. */
  @Override
  public synchronized void shutdown() {
    unwatch();
    if (running.isEmpty()) {
      return;
    }
    ShuffleRuntime.unavailable("it is shutting down.");
    try {
      running.get().stop(tasks);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.warn("SymShuffle did not stop in order on this executor", e);
    }
    running = Optional.empty();
  }

  private void unwatch() {
    Optional<EndDuringStart> now = watch;
    if (now.isPresent()) {
      watch = Optional.empty();
      now.get().close();
    }
  }
}
