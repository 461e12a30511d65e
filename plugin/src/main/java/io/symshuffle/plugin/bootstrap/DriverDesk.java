// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.FolderToken;
import io.symshuffle.plugin.bootstrap.Member.State;
import io.symshuffle.plugin.bootstrap.Message.DeviceReply;
import io.symshuffle.plugin.bootstrap.Message.DeviceReport;
import io.symshuffle.plugin.bootstrap.Message.End;
import io.symshuffle.plugin.bootstrap.Message.Join;
import io.symshuffle.plugin.bootstrap.Message.Lookup;
import io.symshuffle.plugin.bootstrap.Message.Refusal;
import io.symshuffle.plugin.bootstrap.Message.Report;
import io.symshuffle.plugin.bootstrap.Message.ShufflesOver;
import io.symshuffle.plugin.bootstrap.Message.Table;
import io.symshuffle.plugin.bootstrap.Message.Welcome;
import io.symshuffle.plugin.device.DeviceEpochs;
import io.symshuffle.plugin.device.DeviceStep;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers what executors send to the driver. Spark calls it from one thread for all plugins, so it
 * never waits. Knows Spark by the type of a push address only.
 */
final class DriverDesk {
  private static final Logger LOG = LoggerFactory.getLogger(DriverDesk.class);

  /** This many different sentences are enough for a log. */
  private static final int TROUBLES = 20;

  private final FolderToken token;
  private final HostIdentity driverHost;
  private final ClusterShape shape;
  private final Membership membership;
  private final MembershipPusher pusher;
  private final DeviceEpochs devices;
  private final Function<Object, Optional<PushTarget>> reach;
  private final GpuTurns turns = new GpuTurns();
  private final Optional<LostOutputs> lostOutputs;
  private final FolderHolds holds;
  private final Set<String> localBases = ConcurrentHashMap.newKeySet();
  private final Set<String> troubles = ConcurrentHashMap.newKeySet();

  /**
   * Opens the desk.
   *
   * @param driverHost where the driver runs
   * @param devices decides who has a device heap
   * @param reach makes a way to an executor from the push address that it sent
   * @param lostOutputs takes care of the map outputs of lost executors; empty where Spark does
   */
  DriverDesk(
      FolderToken token,
      HostIdentity driverHost,
      ClusterShape shape,
      Membership membership,
      MembershipPusher pusher,
      DeviceEpochs devices,
      Function<Object, Optional<PushTarget>> reach,
      Optional<LostOutputs> lostOutputs) {
    this.token = requireNonNull(token, "token is null");
    this.driverHost = requireNonNull(driverHost, "driverHost is null");
    this.shape = requireNonNull(shape, "shape is null");
    this.membership = requireNonNull(membership, "membership is null");
    this.pusher = requireNonNull(pusher, "pusher is null");
    this.devices = requireNonNull(devices, "devices is null");
    this.reach = requireNonNull(reach, "reach is null");
    this.lostOutputs = requireNonNull(lostOutputs, "lostOutputs is null");
    this.holds = new FolderHolds(token);
  }

  /**
   * Answers one message.
   *
   * @param received as it came
   * @return the encoded answer, or null where none is due, as Spark wants it
   */
  Object[] answer(Object received) {
    Optional<Message> answer;
    try {
      answer = answer(Messages.decode(received));
    } catch (IllegalArgumentException e) {
      LOG.warn("SymShuffle's driver cannot answer an executor: {}", e.getMessage());
      answer = Optional.of(new Refusal(e.getMessage()));
    }
    return answer.map(Messages::encode).orElse(null);
  }

  /** Spark removed an executor. */
  void lose(String executorId) {
    pusher.unsubscribe(executorId);
    turns.leave(executorId);
    devices.lose(executorId);
    lostOutputs.ifPresent(outputs -> outputs.lost(executorId));
    membership
        .lose(executorId)
        .ifPresent(
            member -> {
              LOG.info("PE {} (executor {}) is lost", member.pe(), executorId);
              pusher.changed();
            });
  }

  /** Lets the folders go that executors have on the driver's machine. */
  void close() {
    holds.close();
  }

  /** The folders on the driver's own machine under which executors keep their heaps. */
  Set<String> localBases() {
    return Set.copyOf(localBases);
  }

  private Optional<Message> answer(Message message) {
    return switch (message) {
      case Join join -> Optional.of(join(join));
      case Lookup lookup -> Optional.of(new Table(membership.changesSince(lookup.since())));
      case Report report -> {
        note(report);
        yield Optional.empty();
      }
      case DeviceReport(String executorId, var step) -> Optional.of(device(executorId, step));
      case Welcome _, Table _, DeviceReply _, ShufflesOver _, End _, Refusal _ ->
          throw new IllegalArgumentException(
              "%s came to the driver, which only sends such"
                  .formatted(message.getClass().getSimpleName()));
    };
  }

  private Message join(Join join) {
    Member member = membership.join(join.executorId(), join.host());
    TableChange table = membership.changesSince(0);
    join.pushAddress()
        .flatMap(reach)
        .ifPresent(target -> pusher.subscribe(join.executorId(), target, table.epoch()));
    pusher.changed();
    int pesOfHost =
        shape.pesOfHost(join.processors(), join.cores(), membership.joinedOn(join.host()));
    LOG.info(
        "PE {} is executor {} on {}; {} PEs expected there",
        member.pe(),
        join.executorId(),
        join.host().name(),
        pesOfHost);
    int turn = turns.take(join.executorId(), join.host());
    return new Welcome(token, member.pe(), pesOfHost, turn, table);
  }

  private Message device(String executorId, DeviceStep step) {
    Member member =
        membership
            .member(executorId)
            .filter(each -> each.state() == State.JOINED)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "Executor %s is not a member".formatted(executorId)));
    return new DeviceReply(devices.take(executorId, member.pe(), step));
  }

  private void note(Report report) {
    Optional<Member> member = membership.member(report.executorId());
    if (!report.heapBase().isEmpty()
        && member.filter(m -> m.host().isSameMachine(driverHost)).isPresent()) {
      if (localBases.add(report.heapBase())) {
        holds.keepSoon(report.heapBase());
      }
    }
    lostOutputs.ifPresent(outputs -> outputs.reported(report.executorId(), report.heapFolder()));
    report.trouble().ifPresent(trouble -> warn(report.executorId(), trouble));
    pusher.started(report.executorId());
  }

  // A thousand executors with the same trouble are one trouble.
  private void warn(String executorId, String trouble) {
    if (troubles.size() < TROUBLES && troubles.add(trouble)) {
      LOG.warn("Executor {} reports: {}", executorId, trouble);
    } else {
      LOG.debug("Executor {} reports: {}", executorId, trouble);
    }
  }
}
