// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.device.DeviceInstruction.Active;
import io.symshuffle.plugin.device.DeviceInstruction.HostHeap;
import io.symshuffle.plugin.device.DeviceStep.Decline;
import io.symshuffle.plugin.device.DeviceStep.Opened;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coordinates the device heaps of all executors on the driver, whatever their backend: counts those
 * that have opened one alone and those that have none, leads the others through their {@link
 * CommonStart}, and says once if a required device heap is not available.
 *
 * <p>It never waits: executors poll, and each poll checks the time. Thread-safe.
 */
public final class DeviceCoordinator {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceCoordinator.class);

  private final boolean required;
  private final Consumer<String> onRefusal;

  @GuardedBy("this")
  private final CommonStart start;

  /** Executors that use the host heap, with the reason, without lost ones. */
  @GuardedBy("this")
  private final Map<String, String> declined = new LinkedHashMap<>();

  /** Executors that have opened device heaps alone, including lost ones. */
  @GuardedBy("this")
  private final Set<String> opened = new HashSet<>();

  /** Executors that are gone; messages from them may still arrive. */
  @GuardedBy("this")
  private final Set<String> lost = new HashSet<>();

  @GuardedBy("this")
  private String refusal;

  /**
   * @param start of executors that do not open their device heaps alone
   * @param required whether the application must not run without device heaps
   * @param onRefusal called once, with a sentence, if a required device heap is not available; it
   *     must not wait
   */
  public DeviceCoordinator(CommonStart start, boolean required, Consumer<String> onRefusal) {
    this.start = start;
    this.required = required;
    this.onRefusal = onRefusal;
  }

  /**
   * Handles a step of an executor.
   *
   * @param executorId Spark's id of an executor that has joined
   */
  public synchronized DeviceInstruction handle(String executorId, int pe, DeviceStep step) {
    if (lost.contains(executorId)) {
      return new HostHeap("executor %s is lost".formatted(executorId), false);
    }
    start.update(this);
    switch (step) {
      case Decline(String reason) -> decline(executorId, reason);
      case Opened() -> open(executorId);
      default -> start.handle(executorId, pe, step, this);
    }
    start.update(this);
    return instruction(executorId);
  }

  /** Spark removed an executor. */
  public synchronized void executorLost(String executorId) {
    lost.add(executorId);
    start.executorLost(executorId, this);
    declined.remove(executorId);
    if (declined.isEmpty()) {
      start.allowNext();
    }
  }

  /** Returns the number of PEs with device heaps; lost ones count until all are lost. */
  public synchronized int activePes() {
    return opened.size() + start.activePes();
  }

  @GuardedBy("this")
  private void open(String executorId) {
    if (opened.add(executorId)) {
      LOG.info("Executor {} has a device heap of CUDA memory", executorId);
    }
  }

  /**
   * An executor uses the host heap.
   *
   * @param reason why, a sentence without its full stop
   */
  public synchronized void decline(String executorId, String reason) {
    if (declined.putIfAbsent(executorId, reason) == null) {
      LOG.debug("Executor {} has no device heap: {}", executorId, reason);
    }
    boolean replaces = !opened.isEmpty() && !lost.isEmpty();
    if (start.decline(executorId) && !replaces) {
      refuse("executor %s has none: %s".formatted(executorId, reason));
    }
  }

  /** Returns whether an executor uses the host heap. */
  public synchronized boolean hasDeclined(String executorId) {
    return declined.containsKey(executorId);
  }

  /** Returns the number of living executors that have a device heap alone, or none. */
  public synchronized int answered() {
    Set<String> living = new HashSet<>(opened);
    living.removeAll(lost);
    return declined.size() + living.size();
  }

  /**
   * Not all executors have device heaps: ends the application if it requires them.
   *
   * @param reason a sentence without its full stop
   */
  public synchronized void refuse(String reason) {
    if (required && refusal == null) {
      refusal =
          "%s is true, but not all executors have device heaps: %s"
              .formatted(Settings.DEVICE_REQUIRED.key(), reason);
      onRefusal.accept(refusal);
    }
  }

  @GuardedBy("this")
  private DeviceInstruction instruction(String executorId) {
    if (refusal != null) {
      return new HostHeap(refusal, true);
    }
    if (opened.contains(executorId)) {
      return new Active();
    }
    String reason = declined.get(executorId);
    return reason != null ? new HostHeap(reason, false) : start.instruction(executorId);
  }
}
