// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device.nvshmem;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.device.DeviceInstruction;
import io.symshuffle.plugin.device.DeviceInstruction.Active;
import io.symshuffle.plugin.device.DeviceInstruction.HostHeap;
import io.symshuffle.plugin.device.DeviceInstruction.Wait;
import io.symshuffle.plugin.device.DeviceStep;
import io.symshuffle.plugin.device.DeviceStep.Decline;
import io.symshuffle.plugin.device.DeviceStep.Failed;
import io.symshuffle.plugin.device.DeviceStep.IdCreated;
import io.symshuffle.plugin.device.DeviceStep.Offer;
import io.symshuffle.plugin.device.DeviceStep.Opened;
import io.symshuffle.plugin.device.DeviceStep.Poll;
import io.symshuffle.plugin.device.DeviceStep.Started;
import io.symshuffle.plugin.device.GpuOffer;
import io.symshuffle.plugin.device.nvshmem.NvshmemEpoch.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides on the driver which executors start their device heaps of NVSHMEM together, and counts
 * those that have opened a device heap alone. It gathers offers until all expected executors have
 * answered or the time is up; then it seals one epoch per machine and leads it through its start.
 * NVSHMEM can neither add a PE after the start nor survive the loss of one during it, so executors
 * that come later use the host heap, and so do all of a machine when one of them fails. When all
 * executors are gone after device heaps were active, the next ones form a new device epoch.
 *
 * <p>It never waits: executors poll, and each poll checks the time. Thread-safe.
 */
public final class NvshmemEpochs {
  private static final Logger LOG = LoggerFactory.getLogger(NvshmemEpochs.class);

  /**
   * How long it gathers for a later epoch: executors that were lost together come back together,
   * and a single one should not wait long.
   */
  private static final Duration NEXT_EPOCH_LIMIT = Duration.ofSeconds(10);

  private final ExpectedPes expected;
  private final Duration limit;
  private final boolean required;
  private final LongSupplier nanoClock;
  private final Consumer<String> onRefusal;

  @GuardedBy("this")
  private final Map<String, Participant> offers = new LinkedHashMap<>();

  /** Executors that use the host heap, with the reason. Lost ones are in neither map. */
  @GuardedBy("this")
  private final Map<String, String> declined = new LinkedHashMap<>();

  /** Executors that have opened device heaps alone, including lost ones. */
  @GuardedBy("this")
  private final Set<String> opened = new HashSet<>();

  /** The sealed epoch of each executor. */
  @GuardedBy("this")
  private final Map<String, NvshmemEpoch> epochOf = new HashMap<>();

  @GuardedBy("this")
  private final List<NvshmemEpoch> epochs = new ArrayList<>();

  /** The epochs whose result has been logged. */
  @GuardedBy("this")
  private final Set<NvshmemEpoch> logged = new HashSet<>();

  @GuardedBy("this")
  private boolean sealed;

  /** Executors that are gone; messages from them may still arrive. */
  @GuardedBy("this")
  private final Set<String> lost = new HashSet<>();

  /** For a later epoch: how many executors had device heaps before. */
  @GuardedBy("this")
  private Optional<Integer> previousPes = Optional.empty();

  @GuardedBy("this")
  private boolean gathering;

  @GuardedBy("this")
  private long gatherDeadline;

  @GuardedBy("this")
  private String refusal;

  /**
   * @param expected how many executors to wait for
   * @param limit how long to wait after the first offer, and how long a start may take
   * @param required whether the application must not run without device heaps
   * @param nanoClock the time in nanoseconds, such as {@link System#nanoTime}
   * @param onRefusal called once, with a sentence, if a required device heap is not available; it
   *     must not wait
   */
  public NvshmemEpochs(
      ExpectedPes expected,
      Duration limit,
      boolean required,
      LongSupplier nanoClock,
      Consumer<String> onRefusal) {
    this.expected = expected;
    this.limit = limit;
    this.required = required;
    this.nanoClock = nanoClock;
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
    update();
    switch (step) {
      case Offer(GpuOffer gpu) -> offer(new Participant(executorId, pe, gpu));
      case Decline(String reason) -> decline(executorId, reason);
      case IdCreated(var id) ->
          epoch(executorId).ifPresent(epoch -> epoch.idCreated(executorId, id));
      case Started() -> epoch(executorId).ifPresent(epoch -> epoch.started(executorId));
      case Failed(String reason) ->
          epoch(executorId).ifPresent(epoch -> epoch.failed(executorId, reason));
      case Opened() -> open(executorId);
      case Poll() -> {}
    }
    update();
    return instruction(executorId);
  }

  /** Spark removed an executor. */
  public synchronized void executorLost(String executorId) {
    lost.add(executorId);
    epoch(executorId).ifPresent(epoch -> epoch.executorLost(executorId));
    update();
    // Until the epoch is sealed, its successor counts instead.
    withdraw(executorId);
    declined.remove(executorId);
    if (sealed && offers.isEmpty() && declined.isEmpty()) {
      allowNextEpoch();
    }
  }

  /** A failed start is not repeated, because it may be what killed the executors. */
  @GuardedBy("this")
  private void allowNextEpoch() {
    if (epochs.isEmpty() || epochs.stream().anyMatch(epoch -> epoch.phase() != Phase.ACTIVE)) {
      return;
    }
    LOG.info("All executors are lost; the next ones will form a new device epoch");
    previousPes = Optional.of(epochPes());
    sealed = false;
    gathering = false;
    epochs.clear();
    epochOf.clear();
    logged.clear();
  }

  @GuardedBy("this")
  private void withdraw(String executorId) {
    offers.remove(executorId);
    if (!sealed && offers.isEmpty()) {
      // The time starts with the next offer.
      gathering = false;
    }
  }

  /** {@return the number of PEs with device heaps; lost ones count until all are lost} */
  public synchronized int activePes() {
    return opened.size() + epochPes();
  }

  @GuardedBy("this")
  private int epochPes() {
    return epochs.stream()
        .filter(epoch -> epoch.phase() == Phase.ACTIVE)
        .mapToInt(epoch -> epoch.participants().size())
        .sum();
  }

  @GuardedBy("this")
  private void open(String executorId) {
    if (opened.add(executorId)) {
      LOG.info("Executor {} has a device heap of CUDA memory", executorId);
    }
  }

  @GuardedBy("this")
  private void offer(Participant newcomer) {
    String id = newcomer.executorId();
    if (offers.containsKey(id) || declined.containsKey(id)) {
      // Repeated after a lost answer.
      return;
    }
    Optional<String> problem = problemOf(newcomer);
    if (problem.isPresent()) {
      decline(id, problem.get());
      return;
    }
    offers.put(id, newcomer);
    if (!gathering) {
      gathering = true;
      gatherDeadline = nanoClock.getAsLong() + gatherLimit().toNanos();
    }
  }

  @GuardedBy("this")
  private Duration gatherLimit() {
    return previousPes.isEmpty() || limit.compareTo(NEXT_EPOCH_LIMIT) < 0
        ? limit
        : NEXT_EPOCH_LIMIT;
  }

  @GuardedBy("this")
  private Optional<String> problemOf(Participant newcomer) {
    if (sealed) {
      return Optional.of("it started too late to join the device epoch of the other executors");
    }
    if (expected.problem().isPresent()) {
      return expected.problem();
    }
    for (Participant other : offers.values()) {
      if (other.gpu().uuid().equals(newcomer.gpu().uuid())) {
        return Optional.of(
            "the GPU %s at %s is already used by %s: give each executor its own GPU (spark.executor.resource.gpu.amount=1 and a discovery script that lists each GPU once)"
                .formatted(newcomer.gpu().uuid(), newcomer.gpu().pciBusId(), other.name()));
      }
      if (other.gpu().node().equals(newcomer.gpu().node())
          && !other.gpu().nvshmemVersion().equals(newcomer.gpu().nvshmemVersion())) {
        return Optional.of(
            "it has NVSHMEM %s, but %s on the same machine has %s: make both use the same version (%s)"
                .formatted(
                    newcomer.gpu().nvshmemVersion(),
                    other.name(),
                    other.gpu().nvshmemVersion(),
                    Settings.DEVICE_NVSHMEM_HOME.key()));
      }
    }
    return Optional.empty();
  }

  @GuardedBy("this")
  private void decline(String executorId, String reason) {
    if (declined.putIfAbsent(executorId, reason) == null) {
      LOG.debug("Executor {} has no device heap: {}", executorId, reason);
    }
    if (!sealed) {
      withdraw(executorId);
      boolean successor = previousPes.isPresent() || (!opened.isEmpty() && !lost.isEmpty());
      if (required && !successor) {
        refuse("executor %s has none: %s".formatted(executorId, reason));
      }
    }
  }

  /** Seals or fails what is complete or late. */
  @GuardedBy("this")
  private void update() {
    long now = nanoClock.getAsLong();
    if (!sealed && gathering) {
      boolean late = now - gatherDeadline >= 0;
      boolean complete =
          offers.size() + declined.size() + openedAlone() >= expected.number().orElse(1);
      if (previousPes.isPresent() ? offers.size() >= previousPes.get() : complete || late) {
        seal(now);
      } else if (complete || late) {
        declineAll();
      }
    }
    for (NvshmemEpoch epoch : epochs) {
      epoch.checkDeadline(now, limit.toMillis());
      log(epoch);
    }
  }

  @GuardedBy("this")
  private void log(NvshmemEpoch epoch) {
    boolean ended = epoch.phase() == Phase.ACTIVE || epoch.phase() == Phase.FAILED;
    if (!ended || !logged.add(epoch)) {
      return;
    }
    if (epoch.phase() == Phase.ACTIVE) {
      LOG.info(
          "Device heaps of {} are active on {}, each of {} MiB",
          epoch.participants().stream().map(Participant::name).collect(Collectors.joining(", ")),
          epoch.participants().getFirst().gpu().node(),
          epoch.windowBytes() >> 20);
      return;
    }
    String reason = epoch.reason().orElseThrow();
    // Its executors report the reason, and the driver warns once.
    LOG.info("No device heaps: {}", reason);
    if (required && previousPes.isEmpty()) {
      refuse(reason);
    }
  }

  @GuardedBy("this")
  private void seal(long now) {
    sealed = true;
    int wanted = expected.number().orElse(1);
    // A later epoch starts only when all have come back.
    boolean missing =
        previousPes.isEmpty() && offers.size() + declined.size() + openedAlone() < wanted;
    String came =
        "%d of %d executors (%s) reported a usable GPU within %s"
            .formatted(offers.size(), wanted, expected.source(), text(limit));
    if (missing) {
      LOG.warn(
          "Only {}: their device heaps start without the others. Add executors or increase {}.",
          came,
          Settings.DEVICE_TIMEOUT.key());
      if (required) {
        refuse("only " + came);
      }
    }
    Map<String, List<Participant>> byNode =
        offers.values().stream()
            .sorted(Comparator.comparingInt(Participant::pe))
            .collect(
                Collectors.groupingBy(
                    each -> each.gpu().node(), TreeMap::new, Collectors.toList()));
    for (List<Participant> team : byNode.values()) {
      NvshmemEpoch epoch = new NvshmemEpoch(team, now + limit.toNanos());
      epochs.add(epoch);
      team.forEach(each -> epochOf.put(each.executorId(), epoch));
    }
  }

  /**
   * Not all came back. Device heaps of some would slow down the others, which would need the block
   * transfer for what they can read in place from host heaps.
   */
  @GuardedBy("this")
  private void declineAll() {
    sealed = true;
    String reason =
        "only %d of %d executors with GPUs came back within %s of the first one"
            .formatted(offers.size(), previousPes.orElseThrow(), text(gatherLimit()));
    LOG.info("No device heaps: {}", reason);
    offers.keySet().forEach(executorId -> declined.put(executorId, reason));
    offers.clear();
  }

  private static String text(Duration duration) {
    return duration.equals(Duration.ofSeconds(duration.toSeconds()))
        ? duration.toSeconds() + " s"
        : duration.toMillis() + " ms";
  }

  @GuardedBy("this")
  private void refuse(String reason) {
    if (refusal == null) {
      refusal =
          "%s is true, but not all executors have device heaps: %s"
              .formatted(Settings.DEVICE_REQUIRED.key(), reason);
      onRefusal.accept(refusal);
    }
  }

  @GuardedBy("this")
  private int openedAlone() {
    Set<String> living = new HashSet<>(opened);
    living.removeAll(lost);
    return living.size();
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
    if (reason != null) {
      return new HostHeap(reason, false);
    }
    return epoch(executorId).map(epoch -> epoch.instruction(executorId)).orElseGet(Wait::new);
  }

  @GuardedBy("this")
  private Optional<NvshmemEpoch> epoch(String executorId) {
    return Optional.ofNullable(epochOf.get(executorId));
  }
}
