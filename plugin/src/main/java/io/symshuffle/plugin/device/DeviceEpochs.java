// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.device;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.device.DeviceEpoch.Phase;
import io.symshuffle.plugin.device.DeviceNews.HostHeap;
import io.symshuffle.plugin.device.DeviceNews.Wait;
import io.symshuffle.plugin.device.DeviceStep.Decline;
import io.symshuffle.plugin.device.DeviceStep.Named;
import io.symshuffle.plugin.device.DeviceStep.Offer;
import io.symshuffle.plugin.device.DeviceStep.Outcome;
import io.symshuffle.plugin.device.DeviceStep.Poll;
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
 * Decides on the driver which executors start their device heaps together. It gathers offers until
 * as many executors have answered as are expected, or until the time is up; then it seals one epoch
 * for each machine and leads each through its start. NVSHMEM can neither add a PE to those that
 * have started nor bear the loss of one before they have, so whoever comes later works on the host
 * heap, and so do all of a machine when one of them fails. When all executors are gone after device
 * heaps were active, it begins anew with those that come then.
 *
 * <p>It never waits: executors ask again and again, and whenever one asks it looks at the clock.
 * Threads: any.
 */
public final class DeviceEpochs {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceEpochs.class);

  /**
   * How long it gathers when it begins anew: those that were lost together come back together, and
   * a single one does better to begin with its work.
   */
  private static final Duration AGAIN_LIMIT = Duration.ofSeconds(10);

  private final ExpectedPes expected;
  private final Duration limit;
  private final boolean required;
  private final LongSupplier nanoClock;
  private final Consumer<String> onRefusal;

  @GuardedBy("this")
  private final Map<String, Participant> offers = new LinkedHashMap<>();

  /** Who works on the host heap, and why; lost ones are in neither of the two. */
  @GuardedBy("this")
  private final Map<String, String> declined = new LinkedHashMap<>();

  /** The epoch of an executor, once sealed. */
  @GuardedBy("this")
  private final Map<String, DeviceEpoch> epochOf = new HashMap<>();

  @GuardedBy("this")
  private final List<DeviceEpoch> epochs = new ArrayList<>();

  /** The epochs whose end, good or bad, is in the log. */
  @GuardedBy("this")
  private final Set<DeviceEpoch> told = new HashSet<>();

  @GuardedBy("this")
  private boolean sealed;

  /** Executors that are gone, whose last words may still come. */
  @GuardedBy("this")
  private final Set<String> lost = new HashSet<>();

  /** Once it has begun anew: how many executors had device heaps together before. */
  @GuardedBy("this")
  private Optional<Integer> before = Optional.empty();

  @GuardedBy("this")
  private boolean gathering;

  @GuardedBy("this")
  private long gatherDeadline;

  @GuardedBy("this")
  private String refusal;

  /**
   * Opens the books.
   *
   * @param expected how many executors to wait for
   * @param limit how long to wait from the first offer on, and again how long a start may take
   * @param required whether the application does not want to run without device heaps
   * @param nanoClock the time in nanoseconds, such as {@link System#nanoTime}
   * @param onRefusal told once, with a sentence, when a required device heap cannot be had; it must
   *     not wait
   */
  public DeviceEpochs(
      ExpectedPes expected,
      Duration limit,
      boolean required,
      LongSupplier nanoClock,
      Consumer<String> onRefusal) {
    this.expected = requireNonNull(expected, "expected is null");
    this.limit = requireNonNull(limit, "limit is null");
    this.required = required;
    this.nanoClock = requireNonNull(nanoClock, "nanoClock is null");
    this.onRefusal = requireNonNull(onRefusal, "onRefusal is null");
  }

  /**
   * Takes in what an executor says.
   *
   * @param executorId Spark's id of an executor that has joined
   * @param pe its number
   * @param step what it says
   * @return what it has to do now
   */
  public synchronized DeviceNews take(String executorId, int pe, DeviceStep step) {
    if (lost.contains(executorId)) {
      return new HostHeap("executor %s is lost".formatted(executorId), false);
    }
    look();
    switch (step) {
      case Offer(GpuOffer gpu) -> offer(new Participant(executorId, pe, gpu));
      case Decline(String reason) -> decline(executorId, reason);
      case Named(var id) -> epoch(executorId).ifPresent(epoch -> epoch.named(executorId, id));
      case Outcome(var failure) ->
          epoch(executorId).ifPresent(epoch -> epoch.ended(executorId, failure));
      case Poll() -> {}
    }
    look();
    return news(executorId);
  }

  /**
   * Spark removed an executor.
   *
   * @param executorId Spark's id
   */
  public synchronized void lose(String executorId) {
    lost.add(executorId);
    epoch(executorId).ifPresent(epoch -> epoch.lose(executorId));
    look();
    // As long as nothing is sealed its successor counts in its place.
    withdraw(executorId);
    declined.remove(executorId);
    if (sealed && offers.isEmpty() && declined.isEmpty()) {
      beginAnew();
    }
  }

  /** A start that did not succeed is not tried again: it may be what its executors have died of. */
  @GuardedBy("this")
  private void beginAnew() {
    if (epochs.isEmpty() || epochs.stream().anyMatch(epoch -> epoch.phase() != Phase.ACTIVE)) {
      return;
    }
    LOG.info("All executors are lost; those that come now start device heaps anew");
    before = Optional.of(activePes());
    sealed = false;
    gathering = false;
    epochs.clear();
    epochOf.clear();
    told.clear();
  }

  @GuardedBy("this")
  private void withdraw(String executorId) {
    offers.remove(executorId);
    if (!sealed && offers.isEmpty()) {
      // The time runs from the next offer on.
      gathering = false;
    }
  }

  /**
   * Counts PEs with device heaps.
   *
   * @return the PEs of all active epochs, those lost since included until all are
   */
  public synchronized int activePes() {
    return epochs.stream()
        .filter(epoch -> epoch.phase() == Phase.ACTIVE)
        .mapToInt(epoch -> epoch.participants().size())
        .sum();
  }

  @GuardedBy("this")
  private void offer(Participant newcomer) {
    String id = newcomer.executorId();
    if (offers.containsKey(id) || declined.containsKey(id)) {
      // Said before; its answer was lost.
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
    return before.isEmpty() || limit.compareTo(AGAIN_LIMIT) < 0 ? limit : AGAIN_LIMIT;
  }

  @GuardedBy("this")
  private Optional<String> problemOf(Participant newcomer) {
    if (sealed) {
      return Optional.of(
          "it came when the others of the application had started without it, and their device"
              + " heaps take in no other one");
    }
    if (expected.problem().isPresent()) {
      return expected.problem();
    }
    for (Participant other : offers.values()) {
      if (other.gpu().uuid().equals(newcomer.gpu().uuid())) {
        return Optional.of(
            "the GPU %s at %s is that of %s already: give each executor a GPU of its own (spark.executor.resource.gpu.amount=1 and a discovery script that names each GPU once)"
                .formatted(newcomer.gpu().uuid(), newcomer.gpu().pciBusId(), other.name()));
      }
      if (other.gpu().node().equals(newcomer.gpu().node())
          && !other.gpu().nvshmemVersion().equals(newcomer.gpu().nvshmemVersion())) {
        return Optional.of(
            "it has NVSHMEM %s, and %s on the same machine has %s: let both find the same one (%s)"
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
      if (required && before.isEmpty()) {
        refuse("executor %s has none: %s".formatted(executorId, reason));
      }
    }
  }

  /** Does what time and number demand. */
  @GuardedBy("this")
  private void look() {
    long now = nanoClock.getAsLong();
    if (!sealed && gathering) {
      boolean late = now - gatherDeadline >= 0;
      boolean complete = offers.size() + declined.size() >= expected.number().orElse(1);
      if (before.isPresent() ? offers.size() >= before.get() : complete || late) {
        seal(now);
      } else if (complete || late) {
        standDown();
      }
    }
    for (DeviceEpoch epoch : epochs) {
      epoch.look(now, limit.toMillis());
      tell(epoch);
    }
  }

  @GuardedBy("this")
  private void tell(DeviceEpoch epoch) {
    boolean ended = epoch.phase() == Phase.ACTIVE || epoch.phase() == Phase.OFF;
    if (!ended || !told.add(epoch)) {
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
    // Each of its executors reports the reason, and the driver warns of it once.
    LOG.info("No device heaps: {}", reason);
    if (required && before.isEmpty()) {
      refuse(reason);
    }
  }

  @GuardedBy("this")
  private void seal(long now) {
    sealed = true;
    int missing = expected.number().orElse(1) - offers.size() - declined.size();
    String came =
        "%d of %d executors (%s) have offered a GPU within %d ms"
            .formatted(
                offers.size(), expected.number().orElse(1), expected.source(), limit.toMillis());
    if (missing > 0) {
      LOG.warn(
          "Only {}: their device heaps start without the others. Is the cluster large enough, or {}"
              + " too short?",
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
      DeviceEpoch epoch = new DeviceEpoch(team, now + limit.toNanos());
      epochs.add(epoch);
      team.forEach(each -> epochOf.put(each.executorId(), epoch));
    }
  }

  /**
   * Not all came again. Heaps of some alone would be in the way: the others would get from them by
   * block transfer what they read in place from host heaps.
   */
  @GuardedBy("this")
  private void standDown() {
    sealed = true;
    String reason =
        "only %d of %d executors with GPUs came again within %d ms of the first one"
            .formatted(offers.size(), before.orElseThrow(), gatherLimit().toMillis());
    LOG.info("No device heaps: {}", reason);
    offers.keySet().forEach(executorId -> declined.put(executorId, reason));
    offers.clear();
  }

  @GuardedBy("this")
  private void refuse(String reason) {
    if (refusal == null) {
      refusal =
          "%s is true and there are no device heaps for all executors: %s"
              .formatted(Settings.DEVICE_REQUIRED.key(), reason);
      onRefusal.accept(refusal);
    }
  }

  @GuardedBy("this")
  private DeviceNews news(String executorId) {
    if (refusal != null) {
      return new HostHeap(refusal, true);
    }
    String reason = declined.get(executorId);
    if (reason != null) {
      return new HostHeap(reason, false);
    }
    return epoch(executorId).map(epoch -> epoch.news(executorId)).orElseGet(Wait::new);
  }

  @GuardedBy("this")
  private Optional<DeviceEpoch> epoch(String executorId) {
    return Optional.ofNullable(epochOf.get(executorId));
  }
}
