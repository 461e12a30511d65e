// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device.nvshmem;

import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.device.CommonStart;
import io.symshuffle.plugin.device.DeviceCoordinator;
import io.symshuffle.plugin.device.DeviceInstruction;
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
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides on the driver which executors start their device heaps of NVSHMEM together. It gathers
 * offers until all expected executors have answered or the time is up; then it seals one epoch per
 * machine and leads it through its start. NVSHMEM can neither add a PE after the start nor survive
 * the loss of one during it, so executors that come later use the host heap, and so do all of a
 * machine when one of them fails. When all executors are gone after device heaps were active, the
 * next ones form a new device epoch.
 *
 * <p>Used under the lock of its {@link DeviceCoordinator}.
 */
public final class NvshmemEpochs implements CommonStart {
  private static final Logger LOG = LoggerFactory.getLogger(NvshmemEpochs.class);

  /**
   * How long it gathers for a later epoch: executors that were lost together come back together,
   * and a single one should not wait long.
   */
  private static final Duration NEXT_EPOCH_LIMIT = Duration.ofSeconds(10);

  private final ExpectedPes expected;
  private final Duration limit;
  private final LongSupplier nanoClock;

  private final Map<String, Participant> offers = new LinkedHashMap<>();

  /** The sealed epoch of each executor. */
  private final Map<String, NvshmemEpoch> epochOf = new HashMap<>();

  private final List<NvshmemEpoch> epochs = new ArrayList<>();

  /** The epochs whose result has been logged. */
  private final Set<NvshmemEpoch> logged = new HashSet<>();

  private boolean sealed;

  /** For a later epoch: how many executors had device heaps before. */
  private Optional<Integer> previousPes = Optional.empty();

  private boolean gathering;

  private long gatherDeadline;

  /**
   * @param expected how many executors to wait for
   * @param limit how long to wait after the first offer, and how long a start may take
   * @param nanoClock the time in nanoseconds, such as {@link System#nanoTime}
   */
  public NvshmemEpochs(ExpectedPes expected, Duration limit, LongSupplier nanoClock) {
    this.expected = expected;
    this.limit = limit;
    this.nanoClock = nanoClock;
  }

  @Override
  public void handle(String executorId, int pe, DeviceStep step, DeviceCoordinator coordinator) {
    switch (step) {
      case Offer(GpuOffer gpu) -> offer(new Participant(executorId, pe, gpu), coordinator);
      case IdCreated(var id) ->
          epoch(executorId).ifPresent(epoch -> epoch.idCreated(executorId, id));
      case Started() -> epoch(executorId).ifPresent(epoch -> epoch.started(executorId));
      case Failed(String reason) ->
          epoch(executorId).ifPresent(epoch -> epoch.failed(executorId, reason));
      case Decline unused -> {}
      case Opened unused -> {}
      case Poll unused -> {}
    }
  }

  @Override
  public void executorLost(String executorId, DeviceCoordinator coordinator) {
    epoch(executorId).ifPresent(epoch -> epoch.executorLost(executorId));
    update(coordinator);
    // Until the epoch is sealed, its successor counts instead.
    withdraw(executorId);
  }

  /** A failed start is not repeated, because it may be what killed the executors. */
  @Override
  public void allowNext() {
    if (!sealed
        || !offers.isEmpty()
        || epochs.isEmpty()
        || epochs.stream().anyMatch(epoch -> epoch.phase() != Phase.ACTIVE)) {
      return;
    }
    LOG.info("All executors are lost; the next ones will form a new device epoch");
    previousPes = Optional.of(activePes());
    sealed = false;
    gathering = false;
    epochs.clear();
    epochOf.clear();
    logged.clear();
  }

  private void withdraw(String executorId) {
    offers.remove(executorId);
    if (!sealed && offers.isEmpty()) {
      // The time starts with the next offer.
      gathering = false;
    }
  }

  @Override
  public int activePes() {
    return epochs.stream()
        .filter(epoch -> epoch.phase() == Phase.ACTIVE)
        .mapToInt(epoch -> epoch.participants().size())
        .sum();
  }

  private void offer(Participant newcomer, DeviceCoordinator coordinator) {
    String id = newcomer.executorId();
    if (offers.containsKey(id) || coordinator.hasDeclined(id)) {
      // Repeated after a lost answer.
      return;
    }
    Optional<String> problem = problemOf(newcomer);
    if (problem.isPresent()) {
      coordinator.decline(id, problem.get());
      return;
    }
    offers.put(id, newcomer);
    if (!gathering) {
      gathering = true;
      gatherDeadline = nanoClock.getAsLong() + gatherLimit().toNanos();
    }
  }

  private Duration gatherLimit() {
    return previousPes.isEmpty() || limit.compareTo(NEXT_EPOCH_LIMIT) < 0
        ? limit
        : NEXT_EPOCH_LIMIT;
  }

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

  @Override
  public boolean decline(String executorId) {
    if (sealed) {
      return false;
    }
    withdraw(executorId);
    return previousPes.isEmpty();
  }

  @Override
  public void update(DeviceCoordinator coordinator) {
    long now = nanoClock.getAsLong();
    if (!sealed && gathering) {
      boolean late = now - gatherDeadline >= 0;
      boolean complete = offers.size() + coordinator.answered() >= expected.number().orElse(1);
      if (previousPes.isPresent() ? offers.size() >= previousPes.get() : complete || late) {
        seal(now, coordinator);
      } else if (complete || late) {
        declineAll(coordinator);
      }
    }
    for (NvshmemEpoch epoch : epochs) {
      epoch.checkDeadline(now, limit.toMillis());
      log(epoch, coordinator);
    }
  }

  private void log(NvshmemEpoch epoch, DeviceCoordinator coordinator) {
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
    if (previousPes.isEmpty()) {
      coordinator.refuse(reason);
    }
  }

  private void seal(long now, DeviceCoordinator coordinator) {
    sealed = true;
    int wanted = expected.number().orElse(1);
    // A later epoch starts only when all have come back.
    boolean missing = previousPes.isEmpty() && offers.size() + coordinator.answered() < wanted;
    String came =
        "%d of %d executors (%s) reported a usable GPU within %s"
            .formatted(offers.size(), wanted, expected.source(), text(limit));
    if (missing) {
      LOG.warn("Only {}: their device heaps start without the others; add executors", came);
      coordinator.refuse("only " + came);
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
  private void declineAll(DeviceCoordinator coordinator) {
    sealed = true;
    String reason =
        "only %d of %d executors with GPUs came back within %s of the first one"
            .formatted(offers.size(), previousPes.orElseThrow(), text(gatherLimit()));
    LOG.info("No device heaps: {}", reason);
    offers.keySet().forEach(executorId -> coordinator.decline(executorId, reason));
    offers.clear();
  }

  private static String text(Duration duration) {
    return duration.equals(Duration.ofSeconds(duration.toSeconds()))
        ? duration.toSeconds() + " s"
        : duration.toMillis() + " ms";
  }

  @Override
  public DeviceInstruction instruction(String executorId) {
    return epoch(executorId).map(epoch -> epoch.instruction(executorId)).orElseGet(Wait::new);
  }

  private Optional<NvshmemEpoch> epoch(String executorId) {
    return Optional.ofNullable(epochOf.get(executorId));
  }
}
