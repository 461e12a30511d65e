// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device.nvshmem;

import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.nvshmem.InitRequest;
import io.symshuffle.nvshmem.NvshmemHeap;
import io.symshuffle.plugin.config.DeviceConfig;
import io.symshuffle.plugin.device.DeviceBackend.Choice;
import io.symshuffle.plugin.device.DeviceDriver;
import io.symshuffle.plugin.device.DeviceInstruction;
import io.symshuffle.plugin.device.DeviceInstruction.Active;
import io.symshuffle.plugin.device.DeviceInstruction.CreateId;
import io.symshuffle.plugin.device.DeviceInstruction.HostHeap;
import io.symshuffle.plugin.device.DeviceInstruction.Start;
import io.symshuffle.plugin.device.DeviceInstruction.Wait;
import io.symshuffle.plugin.device.DeviceLibraries;
import io.symshuffle.plugin.device.DeviceMember;
import io.symshuffle.plugin.device.DeviceResult;
import io.symshuffle.plugin.device.DeviceStep.Failed;
import io.symshuffle.plugin.device.DeviceStep.IdCreated;
import io.symshuffle.plugin.device.DeviceStep.Offer;
import io.symshuffle.plugin.device.DeviceStep.Poll;
import io.symshuffle.plugin.device.DeviceStep.Started;
import io.symshuffle.plugin.device.NoDeviceException;
import io.symshuffle.plugin.device.PreparedGpu;
import io.symshuffle.shuffle.device.DeviceTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts an executor's device heap of NVSHMEM: prepares the GPU, reports to the driver and follows
 * its answers until the epoch is active or has failed. Every wait has a limit. Failures are not
 * thrown; the result has the reason.
 *
 * <p>Used once, by the thread that starts the executor, before another plugin takes the GPU's
 * memory.
 */
public final class NvshmemStart {
  private static final Logger LOG = LoggerFactory.getLogger(NvshmemStart.class);
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

  /** Time between two requests to the driver. */
  private static final Duration POLL = Duration.ofMillis(50);

  /** How long NVSHMEM's shutdown may take. */
  private static final Duration END_LIMIT = Duration.ofSeconds(5);

  /** Tolerance for the driver. */
  private static final Duration MARGIN = Duration.ofSeconds(10);

  /** After this time a wait logs what it waits for. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final DeviceConfig config;
  private final DeviceLibraries libraries;
  private final Choice choice;
  private final DeviceDriver driver;
  private final long deadline;

  /**
   * @param config the settings; {@link DeviceConfig#isOn} is true
   * @param choice why NVSHMEM is used
   */
  public NvshmemStart(
      DeviceConfig config, DeviceLibraries libraries, Choice choice, DeviceDriver driver) {
    this.config = config;
    this.libraries = libraries;
    this.choice = choice;
    this.driver = driver;
    // The driver's limits are shorter; this one is for a driver that keeps answering "wait".
    this.deadline = System.nanoTime() + config.timeout().multipliedBy(2).plus(MARGIN).toNanos();
  }

  /**
   * Starts the device heap.
   *
   * @return the device heap, or why there is none
   * @throws InterruptedException if the thread is interrupted
   */
  public DeviceResult start(PreparedGpu.Executor executor) throws InterruptedException {
    NvshmemPreparation prepared;
    try {
      prepared = NvshmemPreparation.prepare(config, libraries, executor, node(executor.bootId()));
    } catch (NoDeviceException e) {
      return driver.decline(config, e.getMessage(), e.isWithoutGpu() && !config.isExpected());
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("The GPU cannot be used", e);
      return driver.decline(config, text(e), false);
    }
    Attempt attempt = new Attempt(prepared);
    try {
      return attempt.run();
    } catch (NoDeviceException e) {
      return withoutDriver(e.getMessage());
    } catch (IOException | TimeoutException e) {
      return withoutDriver("the driver is lost: " + e.getMessage());
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("Cannot start the device heap", e);
      return attempt.failed(text(e));
    } finally {
      attempt.cleanUp();
    }
  }

  /** Identifies a machine as NVSHMEM does: by host name and running kernel. */
  private static String node(String bootId) {
    try {
      return Files.readString(HOST_NAME).trim() + "/" + bootId;
    } catch (IOException e) {
      return bootId;
    }
  }

  private DeviceResult withoutDriver(String reason) {
    return config.required()
        ? new DeviceResult.Refused(reason)
        : new DeviceResult.HostHeap(reason, false);
  }

  private static String text(Throwable e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  /** One start, from the offer to its result. */
  private final class Attempt {
    private final NvshmemPreparation prepared;
    private boolean startCalled;
    private NvshmemHeap heap;
    private boolean active;

    /** Since when it waits for others; 0 after it has said so. */
    private long waitingSince = System.nanoTime();

    Attempt(NvshmemPreparation prepared) {
      this.prepared = prepared;
    }

    DeviceResult run() throws IOException, TimeoutException, InterruptedException {
      DeviceInstruction instruction = driver.report(new Offer(prepared.offer()));
      while (true) {
        switch (instruction) {
          case Wait() -> instruction = poll();
          case CreateId() ->
              instruction =
                  driver.report(new IdCreated(prepared.runtime().newUniqueId(config.timeout())));
          case Start start -> {
            if (heap != null) {
              throw new NoDeviceException("the driver asked to start the device heap twice");
            }
            instruction = startWithOthers(start);
          }
          case Active() -> {
            if (heap == null) {
              throw new NoDeviceException(
                  "the driver reported a device heap that this executor has not started");
            }
            DeviceTier tier = new DeviceTier(heap, prepared.gpu().kernels());
            active = true;
            return new DeviceResult.Active(
                new DeviceMember(
                    tier, choice, () -> {}, this::end, prepared.gpu().linkBytesPerSecond()));
          }
          case HostHeap(String reason, boolean refused) -> {
            return refused
                ? new DeviceResult.Refused(reason)
                : new DeviceResult.HostHeap(reason, false);
          }
        }
      }
    }

    /** A collective operation: only for a PE that started alone. */
    private void end() {
      prepared.runtime().finish(END_LIMIT);
      prepared.runtime().close();
      prepared.gpu().context().close();
    }

    private DeviceInstruction poll() throws IOException, TimeoutException, InterruptedException {
      if (System.nanoTime() - deadline >= 0) {
        throw new NoDeviceException(
            "the driver has not decided on device heaps within %d s"
                .formatted(config.timeout().multipliedBy(2).plus(MARGIN).toSeconds()));
      }
      sayIfLong("the driver to start device heaps, which needs all expected executors");
      Thread.sleep(POLL);
      return driver.report(new Poll());
    }

    /** Says once what this executor waits for. */
    private void sayIfLong(String what) {
      if (waitingSince != 0 && System.nanoTime() - waitingSince > PATIENCE.toNanos()) {
        waitingSince = 0;
        LOG.info("Waiting up to {} s for {}", config.timeout().toSeconds(), what);
      }
    }

    /**
     * Runs the collective part on a separate thread: it cannot be interrupted, and meanwhile the
     * driver may report that a PE is missing.
     */
    private DeviceInstruction startWithOthers(Start start)
        throws IOException, TimeoutException, InterruptedException {
      startCalled = true;
      FutureTask<NvshmemHeap> work = new FutureTask<>(() -> start(start));
      DaemonThreads.start("symshuffle-device-start", work);
      waitingSince = System.nanoTime();
      while (!isDone(work)) {
        sayIfLong("NVSHMEM to start in all executors");
        if (driver.report(new Poll()) instanceof HostHeap off) {
          return off;
        }
      }
      try {
        heap = work.get();
      } catch (ExecutionException e) {
        LOG.debug("Starting the device heap failed", e.getCause());
        return driver.report(new Failed(text(e.getCause())));
      }
      return driver.report(new Started());
    }

    private static boolean isDone(FutureTask<?> work) throws InterruptedException {
      try {
        work.get(POLL.toNanos(), TimeUnit.NANOSECONDS);
        return true;
      } catch (ExecutionException e) {
        return true;
      } catch (TimeoutException e) {
        return false;
      }
    }

    private NvshmemHeap start(Start start) {
      prepared
          .runtime()
          .start(new InitRequest(start.index(), start.pes().length, start.id(), config.timeout()));
      return NvshmemHeap.create(
          prepared.runtime(), start.pes(), start.windowBytes(), config.timeout());
    }

    DeviceResult failed(String reason) throws InterruptedException {
      try {
        if (driver.report(new Failed(reason)) instanceof HostHeap(String why, boolean refused)) {
          // The driver decides, since it knows whether this is the application's first start.
          return refused ? new DeviceResult.Refused(why) : new DeviceResult.HostHeap(reason, false);
        }
      } catch (IOException | TimeoutException e) {
        LOG.debug("Cannot tell the driver about the failure", e);
      }
      return withoutDriver(reason);
    }

    void cleanUp() {
      if (active) {
        return;
      }
      if (startCalled) {
        // The library may wait for others forever, so it must not be called anymore. It releases
        // the GPU's memory when this process ends.
        prepared.runtime().giveUp("there is no device epoch for this executor");
      } else {
        try {
          prepared.release();
        } catch (RuntimeException e) {
          LOG.warn("Cannot release the GPU", e);
        }
      }
    }
  }
}
