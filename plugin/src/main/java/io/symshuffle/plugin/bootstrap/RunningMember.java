// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.HeapFolder;
import io.symshuffle.plugin.device.DeviceMember;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an executor has to end.
 *
 * @param runtime its shuffle
 * @param folder the application's folder on this host
 * @param end what it knows about the application's end
 * @param device its part in a device epoch, if it has one
 * @param local whether driver and executor are this one process
 */
record RunningMember(
    ShuffleRuntime runtime,
    HeapFolder folder,
    ApplicationEnd end,
    Optional<DeviceMember> device,
    boolean local) {
  private static final Logger LOG = LoggerFactory.getLogger(RunningMember.class);

  // Tasks of a local executor may go on for a moment after the application is stopped. Any other
  // executor is a process that is about to end, and its tasks with it.
  private static final Duration TASKS_LIMIT = Duration.ofSeconds(2);
  private static final Duration NEWS_LIMIT = Duration.ofMillis(500);

  RunningMember {
    requireNonNull(runtime, "runtime is null");
    requireNonNull(folder, "folder is null");
    requireNonNull(end, "end is null");
    requireNonNull(device, "device is null");
  }

  /** Ends the shuffle and removes what nobody needs any more; see {@link HeapCleaner}. */
  void stop(RunningTasks tasks) throws InterruptedException {
    boolean idle = tasks.awaitNone(local ? TASKS_LIMIT : Duration.ZERO);
    if (idle) {
      runtime.close();
      if (local) {
        device.ifPresent(DeviceMember::endInProcess);
      }
    } else {
      // A task that reads in place would read zeros for rows.
      LOG.info("Tasks still run, the heap stays mapped until this process ends");
    }
    if (local || (end.await(NEWS_LIMIT) && end.isAnnounced())) {
      folder.remove();
    } else if (end.await(Duration.ZERO)) {
      leaveWithoutDriver(idle);
    }
  }

  // The application may go on without us, if it was only our connection that broke.
  private void leaveWithoutDriver(boolean idle) {
    if (idle) {
      folder.removeIfUnused();
      return;
    }
    try {
      // The memory goes with this process; the folder itself is for the next sweep.
      Files.deleteIfExists(folder.heapFile(runtime.myPe()));
    } catch (IOException e) {
      LOG.warn("The own heap could not be removed", e);
    }
  }
}
