// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import io.symshuffle.ffi.NativeCallException;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.task.TaskEnd;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.storage.BlockManagerId;

/**
 * How a task opens its {@link SymmetricMemory}: it allocates the memory, tells the other tasks of
 * the stage where it is, and reaches theirs. Used by the task's thread.
 */
final class Opening {
  private final MemoryServer server;
  private final Slab slab;
  private final TaskContext task;
  private final Duration limit;
  private final SymmetricMemory memory;

  private Opening(
      MemoryServer server, Slab slab, TaskContext task, Duration limit, SymmetricMemory memory) {
    this.server = server;
    this.slab = slab;
    this.task = task;
    this.limit = limit;
    this.memory = memory;
  }

  /**
   * Opens memory, see {@link SymmetricMemory#open(BarrierTaskContext, long, Duration)}.
   *
   * @param companion freed with the memory, or here if the heap has no space
   */
  static SymmetricMemory open(
      BarrierTaskContext task, long bytes, Duration limit, Optional<Companion> companion) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("cannot open symmetric memory of " + bytes + " bytes");
    }
    MemoryServer server = MemoryServer.of(ShuffleRuntime.require());
    Opening opening;
    try {
      opening = allocate(server, task, bytes, limit, companion);
    } catch (RuntimeException e) {
      companion.ifPresent(Companion::free);
      throw e;
    }
    TaskEnd.listen(task, opening.memory::close);
    BlockManagerId here = SparkEnv.get().blockManager().blockManagerId();
    String address = opening.address(here).encode();
    Meeting meeting =
        new Meeting(
            task,
            new WaitLimit(
                limit,
                "PE " + opening.memory.pe(),
                "the other tasks of the stage",
                opening.call()));
    opening.meet(server.await(meeting, () -> task.allGather(address)));
    return opening.memory;
  }

  static Opening allocate(
      MemoryServer server,
      TaskContext task,
      long bytes,
      Duration limit,
      Optional<Companion> companion) {
    Slab slab = server.allocate(ControlBlock.BYTES + bytes);
    SymmetricMemory memory = new SymmetricMemory(server, slab, bytes, task, limit, companion);
    server.add(memory.generation(), memory);
    return new Opening(server, slab, task, limit, memory);
  }

  SymmetricMemory memory() {
    return memory;
  }

  /** Returns where this PE's memory is. */
  Address address(BlockManagerId here) {
    return new Address(
        memory.pe(),
        token(),
        server.runtime().myPe(),
        slab.offset(),
        memory.bytes(),
        memory.generation(),
        here.executorId(),
        here.host(),
        here.port());
  }

  /** Reaches all PEs, whose addresses are given in their order, and waits for them. */
  void meet(String[] texts) {
    List<Address> addresses =
        IntStream.range(0, texts.length).mapToObj(i -> Address.decode(i, texts[i])).toList();
    for (Address other : addresses) {
      if (other.bytes() != memory.bytes()) {
        throw memory.failed(
            "%s opened %d bytes of symmetric memory, but PE %d %d bytes: sizes must be equal"
                .formatted(other, other.bytes(), memory.pe(), memory.bytes()));
      }
    }
    memory.start(addresses.stream().map(this::reach).toList(), call());
  }

  private String call() {
    return "open(" + memory.bytes() + " bytes)";
  }

  private String token() {
    HostHeap heap = server.runtime().heap();
    return heap.header(heap.myPe()).orElseThrow().token().hex();
  }

  Peer reach(Address address) {
    ShuffleRuntime runtime = server.runtime();
    // A PE of this host that could not map this one, and so did not wait for it, would free memory
    // that this one still writes to. So PEs of a host map each other, or opening fails.
    boolean sharesMemory =
        address.token().equals(token())
            && (address.heapPe() == runtime.myPe()
                || (runtime.config().peerMapping()
                    && runtime.heap().pes().contains(address.heapPe())));
    if (!sharesMemory) {
      return new RemotePeer(address, task, limit);
    }
    try {
      return new MappedPeer(runtime.heap(), address, memory.arena());
    } catch (HeapException | NativeCallException e) {
      throw memory.failed(
          "PE %d cannot map the memory of %s: %s".formatted(memory.pe(), address, e.getMessage()));
    }
  }
}
