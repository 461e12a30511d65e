// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.wait.Await;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import scala.Option;

/**
 * An action of Spark on its own thread and in its own job group, since Spark lists stages of
 * earlier actions as running for a while after their end.
 *
 * @param context the application
 * @param group the job group
 * @param result its result
 */
public record StartedAction<T>(SparkContext context, String group, CompletableFuture<T> result) {
  /** Starts an action. */
  public static <T> StartedAction<T> start(SparkContext context, Callable<T> action) {
    StartedAction<T> started =
        new StartedAction<>(context, UUID.randomUUID().toString(), new CompletableFuture<>());
    Thread thread =
        new Thread(
            () -> {
              context.setJobGroup(started.group, "action of a test", true);
              try {
                started.result.complete(action.call());
              } catch (Throwable e) {
                started.result.completeExceptionally(e);
              }
            },
            "test-action");
    thread.setDaemon(true);
    thread.start();
    return started;
  }

  /** Waits until a number of tasks of one of its stages have ended. */
  public void awaitTasks(int tasks) {
    Await.until(
        tasks + " tasks of a stage have ended",
        () ->
            Arrays.stream(context.statusTracker().getJobIdsForGroup(group))
                .mapToObj(context.statusTracker()::getJobInfo)
                .filter(Option::isDefined)
                .flatMapToInt(job -> Arrays.stream(job.get().stageIds()))
                .mapToObj(context.statusTracker()::getStageInfo)
                .anyMatch(stage -> stage.isDefined() && stage.get().numCompletedTasks() >= tasks));
  }

  /** Cancels the action; it must fail with Spark's message for that. */
  public void cancel() {
    context.cancelJobGroup(group);
    ExecutionException end =
        assertThrows(
            ExecutionException.class, () -> result.get(Await.LIMIT.toSeconds(), TimeUnit.SECONDS));
    assertTrue(end.getMessage().contains("cancel"), end.getMessage());
  }
}
