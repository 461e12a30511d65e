// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import io.symshuffle.plugin.config.JarVersion;
import io.symshuffle.plugin.device.DeviceLibraries;
import io.symshuffle.plugin.device.DeviceRequiredException;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.table.TableEngines;
import io.symshuffle.shuffle.task.TaskThreads;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Function;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskFailedReason;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * SymShuffle on an executor. No task reaches the executor before {@link #init} returns.
 *
 * <p>It throws only in local mode, if a required device heap is missing: the cluster would replace
 * an executor whose start fails, again and again. Without an answer from the driver the executor
 * uses a heap that no other one reads in place. Without any heap it gets no tasks once another
 * executor has started ({@link FailedStarts}); until then its tasks fail with the reason, which
 * Spark reports as the failure of the job.
 */
public final class SymShuffleExecutorPlugin implements ExecutorPlugin {
  private static final Logger LOG = LoggerFactory.getLogger(SymShuffleExecutorPlugin.class);

  /** Others that start at the same time should have started by then, and tasks wait no longer. */
  private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(20);

  private final Function<PluginContext, ExecutorEnvironment> environments;
  private final DeviceLibraries libraries;
  private final StartupShutdownHook.Hooks hooks;
  private final Duration pause;
  private final RunningTasks tasks = new RunningTasks();
  private volatile Optional<RunningExecutor> running = Optional.empty();
  private volatile Optional<StartupShutdownHook> watch = Optional.empty();

  public SymShuffleExecutorPlugin() {
    this(
        SparkExecutorEnvironment::new,
        DeviceLibraries.system(),
        StartupShutdownHook.Hooks.ofProcess(),
        PAUSE_AFTER_FAILURE);
  }

  SymShuffleExecutorPlugin(
      Function<PluginContext, ExecutorEnvironment> environments,
      DeviceLibraries libraries,
      StartupShutdownHook.Hooks hooks,
      Duration pause) {
    this.environments = environments;
    this.libraries = libraries;
    this.hooks = hooks;
    this.pause = pause;
  }

  @Override
  public void init(PluginContext context, Map<String, String> extraConf) {
    ExecutorStart start =
        new ExecutorStart(context, environments.apply(context), libraries, tasks, pause);
    StartupShutdownHook hook = new StartupShutdownHook(hooks, this::shutdown);
    watch = Optional.of(hook);
    try {
      Optional<String> mismatch = JarVersion.mismatch(extraConf);
      if (mismatch.isPresent()) {
        start.giveUp(mismatch.get(), hook);
        return;
      }
      running = start.start(hook);
      running.ifPresent(executor -> TableEngines.onStart(executor::pluginsStarted));
    } catch (CancellationException e) {
      LOG.info("SymShuffle does not start: {}", e.getMessage());
      ShuffleRuntime.unavailable(e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      start.giveUp(e, hook);
    } catch (DeviceRequiredException e) {
      if (start.isLocal()) {
        // Nobody restarts it, and the caller that creates the context sees the message.
        unwatch();
        throw e;
      }
      start.giveUp(e, hook);
    } catch (Throwable e) {
      // Thrown, it would end the executor, its replacement, and so on.
      start.giveUp(e, hook);
    } finally {
      hook.started();
    }
  }

  @Override
  public void onTaskStart() {
    if (watch.isPresent()) {
      // The first task: all plugins have started.
      unwatch();
      running.ifPresent(RunningExecutor::pluginsStarted);
      Optional.ofNullable(SparkEnv.get()).ifPresent(LateShuffleManager::handOver);
    }
    tasks.begin();
    TaskThreads.add();
  }

  @Override
  public void onTaskSucceeded() {
    tasks.end();
  }

  @Override
  public void onTaskFailed(TaskFailedReason reason) {
    tasks.end();
  }

  /**
   * Stops what was started; called by Spark or, if Spark does not, by {@link StartupShutdownHook}.
   */
  @Override
  public synchronized void shutdown() {
    unwatch();
    if (running.isEmpty()) {
      return;
    }
    ShuffleRuntime.unavailable("it is shutting down");
    try {
      running.get().stop(tasks);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.warn("SymShuffle did not shut down cleanly on this executor", e);
    }
    running = Optional.empty();
  }

  private void unwatch() {
    Optional<StartupShutdownHook> now = watch;
    if (now.isPresent()) {
      watch = Optional.empty();
      now.get().close();
    }
  }
}
