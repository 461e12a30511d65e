// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.membership;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.plugin.device.DeviceCoordinator;
import io.symshuffle.plugin.device.DeviceInstruction;
import io.symshuffle.plugin.device.DeviceInstruction.HostHeap;
import io.symshuffle.plugin.device.DeviceStep;
import io.symshuffle.plugin.membership.Member.State;
import io.symshuffle.plugin.membership.Message.ApplicationEnding;
import io.symshuffle.plugin.membership.Message.DeviceReply;
import io.symshuffle.plugin.membership.Message.DeviceReport;
import io.symshuffle.plugin.membership.Message.Join;
import io.symshuffle.plugin.membership.Message.Lookup;
import io.symshuffle.plugin.membership.Message.Refusal;
import io.symshuffle.plugin.membership.Message.ShufflesEnded;
import io.symshuffle.plugin.membership.Message.StartReport;
import io.symshuffle.plugin.membership.Message.TablesOnHost;
import io.symshuffle.plugin.membership.Message.TablesUnavailable;
import io.symshuffle.plugin.membership.Message.Update;
import io.symshuffle.plugin.membership.Message.Usage;
import io.symshuffle.plugin.membership.Message.Welcome;
import io.symshuffle.plugin.membership.MessageSerializer.OtherVersionException;
import io.symshuffle.plugin.usage.UsageReport;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the executors' messages on the driver and tells listeners what they mean. Spark calls it
 * from one thread for all plugins, so it never waits.
 */
public final class DriverRpcHandler {
  private static final Logger LOG = LoggerFactory.getLogger(DriverRpcHandler.class);

  /** Different problems of executors that are logged as warnings. */
  private static final int MAX_WARNINGS = 20;

  private final FolderToken token;
  private final ClusterShape shape;
  private final Membership membership;
  private final MembershipPusher pusher;
  private final DeviceCoordinator devices;
  private final Function<Object, Optional<Consumer<byte[]>>> pushTargets;
  private final List<MembershipListener> listeners;
  private final Supplier<Optional<Set<String>>> executors;
  private final LocalRanks localRanks = new LocalRanks();
  private final Set<String> warnings = ConcurrentHashMap.newKeySet();

  /**
   * @param shape how many executors to expect on a host
   * @param devices decides who has a device heap
   * @param pushTargets turns the push address of an executor into a way to send to it
   * @param listeners told in this order; a failure of one is logged
   * @param executors returns the ids of the executors that Spark knows, without waiting; empty if
   *     it cannot be asked
   */
  public DriverRpcHandler(
      FolderToken token,
      ClusterShape shape,
      Membership membership,
      MembershipPusher pusher,
      DeviceCoordinator devices,
      Function<Object, Optional<Consumer<byte[]>>> pushTargets,
      List<MembershipListener> listeners,
      Supplier<Optional<Set<String>>> executors) {
    this.token = token;
    this.shape = shape;
    this.membership = membership;
    this.pusher = pusher;
    this.devices = devices;
    this.pushTargets = pushTargets;
    this.listeners = List.copyOf(listeners);
    this.executors = executors;
  }

  /**
   * Handles one message.
   *
   * @param received a serialized message, or for {@link Join} an array of the serialized message
   *     and the push address, as {@link DriverLink} sends them
   * @return the serialized answer, or null if the message has none, as Spark expects
   */
  public Object receive(Object received) {
    Optional<Message> answer;
    try {
      Object message = received;
      Optional<Object> pushAddress = Optional.empty();
      if (received instanceof Object[] parts && parts.length == 2) {
        message = parts[0];
        pushAddress = Optional.ofNullable(parts[1]);
      }
      answer = answer(MessageSerializer.read(message), pushAddress);
    } catch (OtherVersionException e) {
      // Such an executor cannot read the refusal, and its report of its failure would be refused.
      e.executorId().ifPresent(id -> started(new StartReport(id, 0, "", "", e.getMessage())));
      answer = Optional.of(new Refusal(e.getMessage()));
    } catch (IllegalArgumentException e) {
      LOG.warn("Cannot answer an executor: {}", e.getMessage());
      answer = Optional.of(new Refusal(e.getMessage()));
    }
    return answer.map(MessageSerializer::write).orElse(null);
  }

  /** Spark removed an executor. */
  public void executorLost(String executorId) {
    pusher.unsubscribe(executorId);
    localRanks.leave(executorId);
    devices.executorLost(executorId);
    publish("lost", listener -> listener.lost(executorId));
    membership
        .markLost(executorId)
        .ifPresent(
            member -> {
              LOG.info("PE {} (executor {}) is lost", member.pe(), executorId);
              pusher.changed();
            });
  }

  /**
   * Notes losses of which Spark's event has not arrived: Spark drops events when a listener is
   * slow. An executor joins after Spark has registered it, so one that Spark does not know is lost.
   */
  private void noteLosses() {
    // Before Spark is asked: an executor that joins meanwhile is not lost.
    Set<String> joined = membership.joined();
    executors
        .get()
        .ifPresent(
            known -> joined.stream().filter(id -> !known.contains(id)).forEach(this::executorLost));
  }

  private Optional<Message> answer(Message message, Optional<Object> pushAddress) {
    return switch (message) {
      case Join join -> Optional.of(join(join, pushAddress));
      case Lookup lookup -> Optional.of(new Update(membership.changesSince(lookup.since())));
      case StartReport report -> {
        started(report);
        yield Optional.empty();
      }
      case TablesUnavailable(String executorId, String reason) -> {
        publish("tablesUnavailable", listener -> listener.tablesUnavailable(executorId, reason));
        pusher.tablesOnHost("executor %s reports: %s".formatted(executorId, reason));
        yield Optional.empty();
      }
      case Usage(UsageReport report, long epoch, long ends) -> {
        publish("used", listener -> listener.used(report));
        noteLosses();
        pusher.knows(report.executorId(), epoch, ends);
        yield Optional.empty();
      }
      case DeviceReport(String executorId, var step) -> Optional.of(device(executorId, step));
      case Welcome answer -> throw sentOnlyByDriver(answer);
      case Update answer -> throw sentOnlyByDriver(answer);
      case DeviceReply answer -> throw sentOnlyByDriver(answer);
      case ShufflesEnded answer -> throw sentOnlyByDriver(answer);
      case TablesOnHost answer -> throw sentOnlyByDriver(answer);
      case ApplicationEnding answer -> throw sentOnlyByDriver(answer);
      case Refusal answer -> throw sentOnlyByDriver(answer);
    };
  }

  private static IllegalArgumentException sentOnlyByDriver(Message message) {
    return new IllegalArgumentException(
        "the driver received %s, which only it sends"
            .formatted(message.getClass().getSimpleName()));
  }

  private Message join(Join join, Optional<Object> pushAddress) {
    Member member = membership.join(join.executorId(), join.host());
    MembershipChange members = membership.changesSince(0);
    pushAddress
        .flatMap(pushTargets)
        .ifPresent(target -> pusher.subscribe(join.executorId(), target, members.epoch()));
    if (pusher.isEnding()) {
      // Spark replaces executors that end before the application, and nobody would remove a heap.
      return new ApplicationEnding();
    }
    pusher.changed();
    int pesOfHost =
        shape.pesOfHost(join.processors(), join.cores(), membership.joinedOn(join.host()));
    LOG.info(
        "PE {} is executor {} on {}; {} PEs expected there",
        member.pe(),
        join.executorId(),
        join.host().name(),
        pesOfHost);
    publish("joined", listener -> listener.joined(member));
    int localRank = localRanks.take(join.executorId(), join.host());
    return new Welcome(token, member.pe(), pesOfHost, localRank, members);
  }

  private Message device(String executorId, DeviceStep step) {
    Member member =
        membership
            .member(executorId)
            .filter(each -> each.state() == State.JOINED)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "executor %s is not a member".formatted(executorId)));
    DeviceInstruction instruction = devices.handle(executorId, member.pe(), step);
    if (step instanceof DeviceStep.Decline(String reason)) {
      publish("usesHostHeap", listener -> listener.usesHostHeap(executorId, reason));
    } else if (instruction instanceof HostHeap(String reason, boolean unused)) {
      publish("usesHostHeap", listener -> listener.usesHostHeap(executorId, reason));
    }
    return new DeviceReply(instruction);
  }

  private void started(StartReport report) {
    publish("started", listener -> listener.started(report));
    if (!report.problem().isEmpty()) {
      warn(report.executorId(), report.problem());
    }
    pusher.started(report.executorId());
    if (membership.started(report.executorId(), report.heapFolder())) {
      pusher.changed();
    }
  }

  /** Warns once of a problem that many executors have. */
  private void warn(String executorId, String problem) {
    if (warnings.size() < MAX_WARNINGS && warnings.add(problem)) {
      LOG.warn("Executor {} reports: {}", executorId, problem);
    } else {
      LOG.debug("Executor {} reports: {}", executorId, problem);
    }
  }

  private void publish(String name, Consumer<MembershipListener> event) {
    for (MembershipListener listener : listeners) {
      try {
        event.accept(listener);
      } catch (RuntimeException e) {
        LOG.warn("Listener {} failed at the event '{}'", listener, name, e);
      }
    }
  }
}
