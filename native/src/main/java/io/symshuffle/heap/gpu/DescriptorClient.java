// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.gpu;

import io.symshuffle.ffi.Descriptor;
import io.symshuffle.ffi.Errno;
import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.ffi.UnixSocket;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.gpu.DescriptorMessage.ChunkId;
import io.symshuffle.heap.gpu.DescriptorMessage.Reply;
import io.symshuffle.heap.gpu.DescriptorMessage.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets descriptors of GPU memory: from the owner, or if that is dead from any other PE that has
 * received it. Thread-safe.
 */
final class DescriptorClient {
  /** How long to wait for one PE, which may be stopped. */
  private static final Duration PE_LIMIT = Duration.ofSeconds(2);

  /** How long a PE that timed out is asked after all others, in multiples of {@link #PE_LIMIT}. */
  private static final int ASKED_LAST = 5;

  /** How long to ask all PEs, in multiples of {@link #PE_LIMIT}. */
  private static final int ALL = 2;

  private static final Logger LOG = LoggerFactory.getLogger(DescriptorClient.class);

  private final HeapFolder folder;
  private final int myPe;
  private final Supplier<List<Integer>> pes;
  private final Duration peLimit;

  /** Until when PEs that did not answer are asked last, in nanoseconds. */
  private final Map<Integer, Long> askedLastUntil = new ConcurrentHashMap<>();

  /**
   * @param myPe this PE, which is not asked
   */
  DescriptorClient(HeapFolder folder, int myPe, Supplier<List<Integer>> pes) {
    this(folder, myPe, pes, PE_LIMIT);
  }

  /** As above, with another limit than {@link #PE_LIMIT}. */
  DescriptorClient(HeapFolder folder, int myPe, Supplier<List<Integer>> pes, Duration peLimit) {
    this.folder = folder;
    this.myPe = myPe;
    this.pes = pes;
    this.peLimit = peLimit;
  }

  /**
   * Asks for a descriptor, for at most 6 s.
   *
   * @return the descriptor, which the caller closes; empty when no PE knows it
   */
  Optional<Descriptor> fetch(ChunkId id) {
    long deadline = System.nanoTime() + ALL * peLimit.toNanos();
    List<Integer> order = new ArrayList<>(List.of(id.pe()));
    pes.get().stream().filter(pe -> pe != id.pe() && pe != myPe).forEach(order::add);
    // Each chunk would otherwise wait for a PE that is stopped, although another one has it.
    List<Integer> last = order.stream().filter(this::isAskedLast).toList();
    order.removeAll(last);
    order.addAll(last);
    for (int pe : order) {
      if (System.nanoTime() - deadline >= 0) {
        LOG.debug("No PE has handed out {} within {} ms", id, peLimit.multipliedBy(ALL).toMillis());
        break;
      }
      Optional<Descriptor> answer = ask(pe, id);
      if (answer.isPresent()) {
        return answer;
      }
    }
    return Optional.empty();
  }

  private boolean isAskedLast(int pe) {
    Long until = askedLastUntil.get(pe);
    return until != null && System.nanoTime() - until < 0;
  }

  private Optional<Descriptor> ask(int pe, ChunkId id) {
    try (UnixSocket socket = UnixSocket.connect(DescriptorServer.path(folder, pe), peLimit)) {
      socket.send(new Request(folder.token(), id).toBytes(), Optional.empty());
      UnixSocket.Message message = socket.receive(DescriptorMessage.REPLY_BYTES).orElse(null);
      askedLastUntil.remove(pe);
      if (message == null) {
        return Optional.empty();
      }
      boolean valid =
          Reply.read(message.bytes())
              .filter(reply -> reply.known() && reply.id().equals(id))
              .isPresent();
      if (!valid) {
        message.descriptor().ifPresent(Descriptor::close);
        return Optional.empty();
      }
      return message.descriptor();
    } catch (NativeCallException e) {
      // A dead PE, or one that is too busy; another one may have it.
      LOG.debug("PE {} does not hand out {}", pe, id, e);
      if (e.is(Errno.EAGAIN)) {
        askLast(pe);
      }
      return Optional.empty();
    }
  }

  private void askLast(int pe) {
    if (!isAskedLast(pe)) {
      LOG.info(
          "PE {} has not answered a request for GPU memory within {} ms. Trying other PEs first"
              + " for {} s.",
          pe,
          peLimit.toMillis(),
          peLimit.multipliedBy(ASKED_LAST).toSeconds());
    }
    askedLastUntil.put(pe, System.nanoTime() + ASKED_LAST * peLimit.toNanos());
  }
}
