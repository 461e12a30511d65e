// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.plugin.device.DeviceMember;
import io.symshuffle.plugin.membership.ApplicationEnd;
import io.symshuffle.plugin.metrics.UsageReporter;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an executor stops when it shuts down.
 *
 * @param folder the application's folder on this host
 * @param end what is known about the end of the application
 * @param device its device heap, if it has one
 * @param local whether driver and executor are the same process
 */
record RunningExecutor(
    ShuffleRuntime runtime,
    HeapFolder folder,
    ApplicationEnd end,
    Optional<DeviceMember> device,
    UsageReporter reporter,
    boolean local) {
  private static final Logger LOG = LoggerFactory.getLogger(RunningExecutor.class);

  // Tasks of a local executor may continue for a moment after the application has stopped. Any
  // other executor is a process that is about to end, and its tasks with it.
  private static final Duration TASKS_LIMIT = Duration.ofSeconds(2);
  private static final Duration END_LIMIT = Duration.ofMillis(500);
  private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);

  void pluginsStarted() {
    device.ifPresent(member -> member.ready().run());
  }

  /** Stops the shuffle and removes what nobody needs anymore; see package retention. */
  void stop(RunningTasks tasks) throws InterruptedException {
    reporter.close();
    // The driver may remove the folder at any time.
    runtime.stopReclaiming();
    boolean idle = tasks.awaitNone(local ? TASKS_LIMIT : Duration.ZERO);
    boolean isOver = local || (end.await(END_LIMIT) && end.isAnnounced());
    if (!isOver) {
      device.ifPresent(member -> member.tier().heap().leave());
    }
    if (idle) {
      if (!isOver) {
        leaveUnused();
      }
      close();
    } else {
      // A task that reads in place would read zeros for rows.
      LOG.info(
          "Tasks are still running; the heap stays mapped until {}",
          local ? "they have ended" : "this process ends");
      if (local) {
        DaemonThreads.start("symshuffle-close", () -> closeAfter(tasks));
      }
    }
    if (isOver) {
      folder.remove();
    } else if (end.await(Duration.ZERO)) {
      leaveWithoutDriver(idle);
    }
  }

  private void leaveUnused() {
    try {
      runtime.leaveUnused();
    } catch (RuntimeException e) {
      // The driver may just have removed the folder.
      LOG.warn("Memory that no map output uses may stay until the application ends", e);
    }
  }

  private void close() {
    runtime.close();
    if (local) {
      device.ifPresent(DeviceMember::endInProcess);
    }
  }

  private void closeAfter(RunningTasks tasks) {
    try {
      boolean idle = false;
      while (!idle) {
        // A thread may die without reporting the end of its task.
        idle = tasks.awaitNone(CHECK_INTERVAL);
      }
      close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // The application may continue, if only our connection broke.
  private void leaveWithoutDriver(boolean idle) {
    if (idle) {
      folder.removeIfUnused();
      return;
    }
    // Otherwise other executors unmap its GPU memory when the heap file is gone, even if their
    // tasks read it.
    device.ifPresent(member -> member.tier().heap().keepMapped());
    // The next sweep removes the disk folders.
    runtime.leaveFolder();
  }
}
