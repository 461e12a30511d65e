// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.NvshmemHeap;
import io.symshuffle.nvshmem.InitRequest;
import io.symshuffle.plugin.config.DeviceConfig;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.device.DeviceNews.Active;
import io.symshuffle.plugin.device.DeviceNews.HostHeap;
import io.symshuffle.plugin.device.DeviceNews.MakeId;
import io.symshuffle.plugin.device.DeviceNews.Start;
import io.symshuffle.plugin.device.DeviceNews.Wait;
import io.symshuffle.plugin.device.DeviceStep.Decline;
import io.symshuffle.plugin.device.DeviceStep.Named;
import io.symshuffle.plugin.device.DeviceStep.Offer;
import io.symshuffle.plugin.device.DeviceStep.Outcome;
import io.symshuffle.plugin.device.DeviceStep.Poll;
import io.symshuffle.shuffle.device.DeviceTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor's way to a device heap: prepare alone, tell the driver, do what the driver says until
 * the epoch is active or is not to be. Every wait has a limit, and no failure leaves this class as
 * an exception: the result has the reason.
 *
 * <p>Used once, by the thread that starts the executor, before another plugin takes the GPU's
 * memory.
 */
public final class DeviceStart {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceStart.class);
  private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

  /** How often the driver is asked. */
  private static final Duration POLL = Duration.ofMillis(50);

  /** What the driver may take longer than it should. */
  private static final Duration MARGIN = Duration.ofSeconds(10);

  /** The way to the driver. */
  @FunctionalInterface
  public interface Driver {
    /**
     * Says a step and waits for the news, with a limit.
     *
     * @param step what to say
     * @return what to do
     * @throws IOException if the driver cannot be reached or refuses
     * @throws TimeoutException if it does not answer in time
     * @throws InterruptedException if the thread is interrupted
     */
    DeviceNews say(DeviceStep step) throws IOException, TimeoutException, InterruptedException;
  }

  private final DeviceConfig config;
  private final DeviceLibraries libraries;
  private final Driver driver;
  private final long deadline;

  /**
   * Makes ready to start.
   *
   * @param config the settings; {@link DeviceConfig#isOn} is true
   * @param libraries NVIDIA's, and our kernels
   * @param driver the way to the driver
   */
  public DeviceStart(DeviceConfig config, DeviceLibraries libraries, Driver driver) {
    this.config = requireNonNull(config, "config is null");
    this.libraries = requireNonNull(libraries, "libraries is null");
    this.driver = requireNonNull(driver, "driver is null");
    // The driver's own limits are up first; this is for a driver that goes on saying "wait".
    this.deadline = System.nanoTime() + config.timeout().multipliedBy(2).plus(MARGIN).toNanos();
  }

  /**
   * Goes the whole way.
   *
   * @param pe SymShuffle's number of this executor
   * @param turn how many executors of this machine joined before and are there
   * @param bootId the kernel's boot id; empty if unknown
   * @param gpuAddresses the GPUs that Spark has given to this executor
   * @return what became of it
   * @throws InterruptedException if the thread is interrupted
   */
  public DeviceResult start(int pe, int turn, String bootId, List<String> gpuAddresses)
      throws InterruptedException {
    PreparedDevice prepared;
    try {
      prepared =
          PreparedDevice.prepare(
              config, libraries, new PreparedDevice.Self(pe, turn, node(bootId), gpuAddresses));
    } catch (NoDeviceException e) {
      return decline(e.getMessage(), e.isWithoutGpu() && !config.isExpected());
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("The GPU cannot be used", e);
      return decline(text(e), false);
    }
    Attempt attempt = new Attempt(prepared);
    try {
      return attempt.go();
    } catch (NoDeviceException e) {
      return unwanted(e.getMessage());
    } catch (IOException | TimeoutException e) {
      return unwanted("the driver is lost: " + e.getMessage());
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("The device heap could not be started", e);
      return attempt.failed(text(e));
    } finally {
      attempt.cleanUp();
    }
  }

  /** What NVSHMEM takes for one machine: its name, made unique by the running kernel. */
  private static String node(String bootId) {
    try {
      return Files.readString(HOST_NAME).trim() + "/" + bootId;
    } catch (IOException e) {
      return bootId;
    }
  }

  private DeviceResult decline(String reason, boolean expected) throws InterruptedException {
    try {
      if (driver.say(new Decline(reason)) instanceof HostHeap(String why, boolean refused)
          && refused) {
        return new DeviceResult.Refused(why);
      }
    } catch (IOException | TimeoutException e) {
      LOG.debug("The driver could not be told that there is no device heap here", e);
      if (config.required()) {
        return new DeviceResult.Refused(reason);
      }
    }
    return new DeviceResult.HostHeap(reason, expected);
  }

  private DeviceResult unwanted(String reason) {
    return config.required()
        ? new DeviceResult.Refused(reason)
        : new DeviceResult.HostHeap(reason, false);
  }

  private static String text(Throwable e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  /** From the offer to the end of the matter. */
  private final class Attempt {
    private final PreparedDevice prepared;
    private boolean startCalled;
    private NvshmemHeap heap;
    private int[] pes;
    private boolean active;

    Attempt(PreparedDevice prepared) {
      this.prepared = prepared;
    }

    DeviceResult go() throws IOException, TimeoutException, InterruptedException {
      DeviceNews news = driver.say(new Offer(prepared.offer()));
      while (true) {
        switch (news) {
          case Wait() -> news = later();
          case MakeId() ->
              news = driver.say(new Named(prepared.runtime().newUniqueId(config.timeout())));
          case Start start -> {
            if (heap != null) {
              throw new NoDeviceException("the driver wants to start the device heap twice");
            }
            news = together(start);
          }
          case Active() -> {
            if (heap == null) {
              throw new NoDeviceException("the driver takes for started what was not");
            }
            DeviceTier tier = new DeviceTier(heap, prepared.kernels(), pes);
            active = true;
            return new DeviceResult.Active(
                new DeviceMember(tier, prepared.runtime(), prepared.context()));
          }
          case HostHeap(String reason, boolean refused) -> {
            return refused
                ? new DeviceResult.Refused(reason)
                : new DeviceResult.HostHeap(reason, false);
          }
        }
      }
    }

    private DeviceNews later() throws IOException, TimeoutException, InterruptedException {
      if (System.nanoTime() - deadline >= 0) {
        throw new NoDeviceException(
            "the driver has not decided on device heaps within twice %s and %d s"
                .formatted(Settings.DEVICE_TIMEOUT.key(), MARGIN.toSeconds()));
      }
      Thread.sleep(POLL);
      return driver.say(new Poll());
    }

    /**
     * The collective part, on a thread of its own: it cannot be interrupted, and meanwhile the
     * driver may know that somebody is missing.
     */
    private DeviceNews together(Start start)
        throws IOException, TimeoutException, InterruptedException {
      startCalled = true;
      FutureTask<NvshmemHeap> work = new FutureTask<>(() -> start(start));
      Thread.ofPlatform().daemon().name("symshuffle-device-start").start(work);
      while (!isDone(work)) {
        if (driver.say(new Poll()) instanceof HostHeap off) {
          return off;
        }
      }
      Optional<String> failure = Optional.empty();
      try {
        heap = work.get();
        pes = start.pes();
      } catch (ExecutionException e) {
        LOG.debug("The start of the device heap failed", e.getCause());
        failure = Optional.of(text(e.getCause()));
      }
      return driver.say(new Outcome(failure));
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
      return NvshmemHeap.create(prepared.runtime(), start.windowBytes(), config.timeout());
    }

    DeviceResult failed(String reason) throws InterruptedException {
      try {
        if (driver.say(new Outcome(Optional.of(reason)))
            instanceof HostHeap(String why, boolean refused)) {
          // Required or not: the driver knows whether this is the application's first start.
          return refused ? new DeviceResult.Refused(why) : new DeviceResult.HostHeap(reason, false);
        }
      } catch (IOException | TimeoutException e) {
        LOG.debug("The driver could not be told of the failure", e);
      }
      return unwanted(reason);
    }

    void cleanUp() {
      if (active) {
        return;
      }
      if (startCalled) {
        // Others may wait in it, or it for others: from here on nobody may call it, and what it
        // holds of the GPU goes with this process.
        prepared.runtime().giveUp("there is no device epoch for this executor");
      } else {
        try {
          prepared.release();
        } catch (RuntimeException e) {
          LOG.warn("The GPU could not be given back", e);
        }
      }
    }
  }
}
