// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.bootstrap;

import io.symshuffle.nvshmem.UniqueId;
import io.symshuffle.plugin.bootstrap.Message.DeviceReply;
import io.symshuffle.plugin.bootstrap.Message.DeviceReport;
import io.symshuffle.plugin.device.DeviceNews;
import io.symshuffle.plugin.device.DeviceNews.Active;
import io.symshuffle.plugin.device.DeviceNews.HostHeap;
import io.symshuffle.plugin.device.DeviceNews.MakeId;
import io.symshuffle.plugin.device.DeviceNews.Start;
import io.symshuffle.plugin.device.DeviceNews.Wait;
import io.symshuffle.plugin.device.DeviceStep;
import io.symshuffle.plugin.device.DeviceStep.Decline;
import io.symshuffle.plugin.device.DeviceStep.Named;
import io.symshuffle.plugin.device.DeviceStep.Offer;
import io.symshuffle.plugin.device.DeviceStep.Outcome;
import io.symshuffle.plugin.device.DeviceStep.Poll;
import io.symshuffle.plugin.device.GpuOffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * The part of {@link Messages} by which device heaps are started.
 *
 * <pre>
 *   device.offer     executor id, node, UUID, PCI bus id, NVSHMEM's version, window bytes (Long)
 *   device.decline   executor id, reason
 *   device.id        executor id, unique id (byte[128])
 *   device.outcome   executor id, failure or null
 *   device.poll      executor id
 *
 *   device.wait
 *   device.makeId
 *   device.start     unique id (byte[128]), number in NVSHMEM (Integer), PEs (int[]),
 *                    window bytes (Long)
 *   device.active
 *   device.hostHeap  reason, refused (Boolean)
 * </pre>
 */
final class DeviceMessages {
  private static final String OFFER = "device.offer";
  private static final String DECLINE = "device.decline";
  private static final String ID = "device.id";
  private static final String OUTCOME = "device.outcome";
  private static final String POLL = "device.poll";
  private static final String WAIT = "device.wait";
  private static final String MAKE_ID = "device.makeId";
  private static final String START = "device.start";
  private static final String ACTIVE = "device.active";
  private static final String HOST_HEAP = "device.hostHeap";

  private DeviceMessages() {}

  /** Kind and parts of a step. */
  static List<Object> parts(String executorId, DeviceStep step) {
    return switch (step) {
      case Offer(GpuOffer gpu) ->
          List.of(
              OFFER,
              executorId,
              gpu.node(),
              gpu.uuid(),
              gpu.pciBusId(),
              gpu.nvshmemVersion(),
              gpu.windowBytes());
      case Decline(String reason) -> List.of(DECLINE, executorId, reason);
      case Named(UniqueId id) -> List.of(ID, executorId, id.toBytes());
      case Outcome(var failure) -> {
        List<Object> parts = new ArrayList<>(List.of(OUTCOME, executorId));
        parts.add(failure.orElse(null));
        yield Collections.unmodifiableList(parts);
      }
      case Poll() -> List.of(POLL, executorId);
    };
  }

  /** Kind and parts of news. */
  static List<Object> parts(DeviceNews news) {
    return switch (news) {
      case Wait() -> List.of(WAIT);
      case MakeId() -> List.of(MAKE_ID);
      case Start(var id, var index, var pes, var windowBytes) ->
          List.of(START, id.toBytes(), index, pes, windowBytes);
      case Active() -> List.of(ACTIVE);
      case HostHeap(var reason, var refused) -> List.of(HOST_HEAP, reason, refused);
    };
  }

  /** The message; empty if it is not one of these. */
  static Optional<Message> decode(MessageParts parts) {
    return switch (parts.kind()) {
      case OFFER -> {
        String executorId = executorId(parts);
        GpuOffer gpu =
            new GpuOffer(
                parts.next(String.class, "node"),
                parts.next(String.class, "UUID"),
                parts.next(String.class, "PCI bus id"),
                parts.next(String.class, "version of NVSHMEM"),
                parts.next(Long.class, "window bytes"));
        yield step(executorId, new Offer(gpu));
      }
      case DECLINE -> step(executorId(parts), new Decline(parts.next(String.class, "reason")));
      case ID -> step(executorId(parts), new Named(uniqueId(parts)));
      case OUTCOME ->
          step(executorId(parts), new Outcome(parts.nextOrNull(String.class, "failure")));
      case POLL -> step(executorId(parts), new Poll());
      case WAIT -> news(new Wait());
      case MAKE_ID -> news(new MakeId());
      case START ->
          news(
              new Start(
                  uniqueId(parts),
                  parts.next(Integer.class, "number"),
                  parts.next(int[].class, "PEs"),
                  parts.next(Long.class, "window bytes")));
      case ACTIVE -> news(new Active());
      case HOST_HEAP ->
          news(
              new HostHeap(
                  parts.next(String.class, "reason"), parts.next(Boolean.class, "refusal")));
      default -> Optional.empty();
    };
  }

  private static Optional<Message> step(String executorId, DeviceStep step) {
    return Optional.of(new DeviceReport(executorId, step));
  }

  private static Optional<Message> news(DeviceNews news) {
    return Optional.of(new DeviceReply(news));
  }

  private static String executorId(MessageParts parts) {
    return parts.next(String.class, "executor id");
  }

  private static UniqueId uniqueId(MessageParts parts) {
    return UniqueId.of(parts.next(byte[].class, "unique id"));
  }
}
