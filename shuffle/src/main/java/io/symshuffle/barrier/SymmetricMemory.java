// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.ffi.Segments;
import io.symshuffle.heap.Slab;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.TaskContext;

/**
 * Memory of a barrier stage: each task is a PE with a buffer that the tasks of all PEs reach. PE n
 * is the task of partition n. The buffers are in the heaps of the executors, in shared memory, and
 * count in {@code spark.symshuffle.heap.size}. Buffers of other hosts are reached by the same calls
 * through Spark's block transfer, which is much slower.
 *
 * <p>Collective calls ({@link #open}, {@link #barrier}, {@link #allReduce}, {@link #allGather},
 * {@link #allToAll}, {@link #broadcast}) are made by all PEs, in the same order and with the same
 * arguments; otherwise each PE gets an error that names two different calls. A collective call
 * returns when this PE's buffer has the result and no other PE still reads it, so the task may
 * change the buffer. {@link #put} and {@link #get} are one-sided: order them with {@link #barrier}.
 *
 * <p>Each wait for another PE has a limit, and a message in the log after 10 s. If a task fails or
 * its executor dies, the calls of the others fail, and Spark repeats the barrier stage, whose tasks
 * open new memory. The memory is closed when the task ends. It is freed when the other PEs of the
 * host have closed theirs or are dead.
 *
 * <p>Methods may be called by any thread, one after the other.
 */
public final class SymmetricMemory implements AutoCloseable {
  static final Duration USUAL_LIMIT = Duration.ofMinutes(10);

  /** How long the GPU of a process that was killed may still write. */
  static final Duration DEAD_GPU = Duration.ofSeconds(5);

  /** In elements; blocks of PEs begin in different cache lines. */
  private static final long GRANULE = 16;

  private final MemoryServer server;
  private final Slab slab;
  private final MemorySegment memory;
  private final long generation = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
  private final ControlBlock control;

  /** Held while other hosts are served, which must not wait for this PE's calls. */
  private final Object serving = new Object();

  @GuardedBy("serving")
  private boolean freed;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment local;
  private final int pe;
  private final PeerWait waits;
  private final Optional<Companion> companion;
  private List<Peer> peers = List.of();
  private long calls;
  private long arrivals;
  private String failure = "";
  private volatile boolean closing;
  private volatile boolean closed;

  /** Since when a PE has been dead, by the nanosecond clock; for the thread that frees. */
  private long deadSince;

  SymmetricMemory(
      MemoryServer server,
      Slab slab,
      long bytes,
      TaskContext task,
      Duration limit,
      Optional<Companion> companion) {
    this.server = server;
    this.companion = companion;
    this.slab = slab;
    this.pe = task.partitionId();
    this.memory =
        Segments.withLifetime(
            server.runtime().heap().local().asSlice(slab.offset(), ControlBlock.BYTES + bytes),
            Arena.global());
    this.control = ControlBlock.create(memory, generation);
    this.local = Segments.withLifetime(memory.asSlice(ControlBlock.BYTES), arena);
    this.waits = new PeerWait(task::killTaskIfInterrupted, limit, () -> closing, "PE " + pe);
    local.fill((byte) 0);
  }

  /** As {@link #open(BarrierTaskContext, long, Duration)}, with a limit of 10 minutes. */
  public static SymmetricMemory open(BarrierTaskContext task, long bytes) {
    return open(task, bytes, USUAL_LIMIT);
  }

  /**
   * Opens memory; collective. A task may open several. Takes a second, since Spark tells the other
   * tasks where the memory is.
   *
   * @param bytes length of the buffer of each PE, more than 0; the same on all PEs
   * @param limit how long a call may wait for another PE
   * @throws SymmetricMemoryException when the heap has no space, or another PE fails
   * @throws IllegalStateException when the executor runs without SymShuffle
   */
  public static SymmetricMemory open(BarrierTaskContext task, long bytes, Duration limit) {
    return Opening.open(task, bytes, limit, Optional.empty());
  }

  /** Has reached all PEs, in their order; waits for them in a call that opens. */
  synchronized void start(List<Peer> reached, String call) {
    peers = reached;
    enter(call);
  }

  /** Returns the number of this PE, which is the task's partition. */
  public int pe() {
    return pe;
  }

  /** Returns the number of PEs, which is that of the stage's tasks. */
  public int peCount() {
    return peers.size();
  }

  /** Returns the length of each PE's buffer in bytes. */
  public long bytes() {
    return local.byteSize();
  }

  /**
   * Returns the buffer of this PE, all zeros at first. It refuses access after {@link #close()}.
   *
   * @return the same segment on each call, at an address that is a multiple of 64
   */
  public MemorySegment local() {
    return local;
  }

  /**
   * Returns a read-only view of another PE's buffer. It refuses access after {@link #close()}.
   *
   * @return the view; empty if the PE's executor is on another host, see {@link #get}
   */
  public synchronized Optional<MemorySegment> peer(int peer) {
    checkOpen();
    return peers.get(peer).view(arena);
  }

  /**
   * Copies from the buffer of a PE; slower from other hosts, through Spark's block transfer.
   *
   * @param offset first byte in the buffer
   * @param destination is filled
   */
  public synchronized void get(int peer, long offset, MemorySegment destination) {
    checkOpen();
    check(offset, destination.byteSize(), 1);
    peers.get(peer).read(offset, destination);
  }

  /**
   * Copies to the buffer of a PE; slower to other hosts, through Spark's block transfer. That PE
   * sees the bytes after the next {@link #barrier}.
   *
   * @param offset first byte in the buffer
   * @param source all of its bytes are copied
   */
  public synchronized void put(int peer, long offset, MemorySegment source) {
    checkOpen();
    check(offset, source.byteSize(), 1);
    peers.get(peer).write(offset, source);
  }

  /** Waits until all PEs have called this; collective. Then all earlier puts are visible. */
  public synchronized void barrier() {
    enter("barrier()");
  }

  /**
   * Reduces the elements of all PEs at the same place, and stores the results there on all PEs;
   * collective. Each element is computed once, in the order of the PEs, so all PEs have the same
   * bits, and so has each run with as many PEs.
   *
   * @param offset of the first element in bytes, a multiple of the element's length
   * @param count number of elements, 0 or more
   */
  public synchronized void allReduce(
      Reduction reduction, ElementType type, long offset, long count) {
    check(offset, Math.multiplyExact(count, type.bytes()), type.bytes());
    String call =
        "allReduce(" + reduction + ", " + type + ", offset " + offset + ", " + count + " elements)";
    collective(call, () -> reduce(reduction, type, offset, count));
  }

  private void reduce(Reduction reduction, ElementType type, long offset, long count) {
    int good = peers.stream().mapToInt(Peer::goodBytes).max().orElseThrow();
    long blockBytes =
        Math.ceilDiv(Math.ceilDiv(count, peCount()), GRANULE) * GRANULE * type.bytes();
    long end = offset + count * type.bytes();
    long first = Math.min(offset + pe * blockBytes, end);
    long last = Math.min(first + blockBytes, end);
    Accumulator accumulator =
        Accumulator.of(reduction, type, (int) Math.min(good, Math.max(last - first, 0)));
    for (long at = first; at < last; at += good) {
      accumulator.reduce(peers, at, Math.min(good, last - at));
    }
  }

  /**
   * Copies a block of each PE to all others; collective. Block n, at {@code offset + n * bytes}, is
   * that of PE n, and all PEs have all blocks afterwards.
   *
   * @param bytes length of a block
   */
  public synchronized void allGather(long offset, long bytes) {
    check(offset, Math.multiplyExact(bytes, peCount()), 1);
    collective(
        "allGather(offset " + offset + ", " + bytes + " bytes per PE)",
        () -> {
          for (int other : others()) {
            read(other, offset + other * bytes, offset + other * bytes, bytes);
          }
        });
  }

  /**
   * Sends a block to each PE; collective. Block n at {@code from} of each PE becomes block (that
   * PE) at {@code to} of PE n.
   *
   * @param from of the first block to send
   * @param to of the first block to receive; these blocks must not overlap the sent ones
   * @param bytes length of a block
   */
  public synchronized void allToAll(long from, long to, long bytes) {
    long all = Math.multiplyExact(bytes, peCount());
    check(from, all, 1);
    check(to, all, 1);
    checkApart(from, to, all);
    collective(
        "allToAll(from offset " + from + ", to offset " + to + ", " + bytes + " bytes per PE)",
        () -> {
          for (int i = 1; i <= peCount(); i++) {
            int other = (pe + i) % peCount();
            read(other, from + pe * bytes, to + other * bytes, bytes);
          }
        });
  }

  /**
   * Copies bytes of one PE to the same place of all others; collective.
   *
   * @param root the PE that has the bytes
   * @param offset of the first byte
   */
  public synchronized void broadcast(int root, long offset, long bytes) {
    check(offset, bytes, 1);
    if (root < 0 || root >= peCount()) {
      throw new IllegalArgumentException("there is no PE %d of %d".formatted(root, peCount()));
    }
    collective(
        "broadcast(from PE " + root + ", offset " + offset + ", " + bytes + " bytes)",
        () -> {
          if (root != pe) {
            read(root, offset, offset, bytes);
          }
        });
  }

  /** Closes the memory; also happens when the task ends. Further calls do nothing. */
  @Override
  public void close() {
    closing = true;
    tryClose();
    server.reclaim();
  }

  /** Whether the memory will be freed as soon as no PE can access it. */
  boolean isClosing() {
    return closing;
  }

  /** Tells the other PEs that this one accesses nothing anymore, once that is so. */
  private void tryClose() {
    if (!closed && companion.map(Companion::isIdle).orElse(true)) {
      synchronized (this) {
        closed = true;
        control.close();
      }
    }
  }

  /** Frees the memory once it is closed and no PE of the host can access it. */
  boolean tryFree() {
    if (closing && !closed) {
      tryClose();
    }
    if (!closed) {
      return false;
    }
    synchronized (this) {
      synchronized (serving) {
        if (freed) {
          return true;
        }
      }
      if (arena.scope().isAlive()) {
        arena.close();
      }
      if (peers.stream().anyMatch(Peer::mayAccess) || !freeCompanion()) {
        return false;
      }
      server.end(generation, control.snapshot());
      synchronized (serving) {
        control.clear();
        freed = true;
      }
      server.runtime().slabs().free(slab);
      return true;
    }
  }

  private boolean freeCompanion() {
    if (companion.isPresent() && !peers.stream().allMatch(Peer::hasClosed)) {
      deadSince = deadSince == 0 ? System.nanoTime() : deadSince;
      if (System.nanoTime() - deadSince < DEAD_GPU.toNanos()) {
        return false;
      }
    }
    companion.ifPresent(Companion::free);
    return true;
  }

  /**
   * Copies bytes for a task on another host; offset 0 is the control block.
   *
   * @return the copy; empty if the memory was freed
   */
  Optional<MemorySegment> copy(long from, long bytes) {
    long end = Math.min(from + bytes, memory.byteSize());
    synchronized (serving) {
      if (freed) {
        return Optional.empty();
      }
      checkSlice(end - from);
      MemorySegment copied =
          from == 0 ? control.snapshot().memory() : memory.asSlice(from, end - from);
      return Optional.of(MemorySegment.ofArray(copied.toArray(JAVA_BYTE)));
    }
  }

  /** Stores bytes of a task on another host. */
  void receive(long offset, MemorySegment bytes) {
    synchronized (serving) {
      if (freed) {
        throw new IllegalStateException("the memory of PE %d was freed".formatted(pe));
      }
      checkSlice(bytes.byteSize());
      memory.asSlice(ControlBlock.BYTES).asSlice(offset, bytes.byteSize()).copyFrom(bytes);
    }
  }

  private void checkSlice(long bytes) {
    if (bytes > MemoryServer.SLICE_BYTES + MemoryServer.UNIT_BYTES) {
      throw new IllegalStateException(
          "%d bytes of PE %d are more than one slice".formatted(bytes, pe));
    }
  }

  /** Until when this PE may write to the memory of others. */
  Arena arena() {
    return arena;
  }

  /** Names this memory in its executor. */
  long generation() {
    return generation;
  }

  private int[] others() {
    return IntStream.range(1, peCount()).map(i -> (pe + i) % peCount()).toArray();
  }

  private void read(int other, long from, long to, long bytes) {
    if (bytes > 0) {
      peers.get(other).read(from, local.asSlice(to, bytes));
    }
  }

  private void collective(String call, Runnable part) {
    enter(call);
    inCall(part);
    arrive(call);
  }

  /**
   * Does a part of a collective call. If it fails, later calls fail, too: others would take this
   * PE's next call for its part of this one.
   */
  synchronized void inCall(Runnable part) {
    try {
      part.run();
    } catch (RuntimeException | Error e) {
      failure = e.getMessage() == null ? e.toString() : e.getMessage();
      throw e;
    }
  }

  /** Starts a collective call: waits until all PEs have started the same one. */
  synchronized void enter(String call) {
    checkOpen();
    inCall(() -> meet(call));
  }

  private void meet(String call) {
    control.setCall(++calls, call);
    arrive(call);
    for (Peer peer : peers) {
      String other = peer.control().call(calls);
      if (!peer.isCurrent()) {
        throw failed("the task of %s ended before PE %d called %s".formatted(peer, pe, call));
      }
      if (!other.equals(call)) {
        throw failed(
            "collective call %d of %s is %s, but that of PE %d is %s: all PEs must make the same calls in the same order"
                .formatted(calls, peer, other, pe, call));
      }
    }
  }

  /** Waits until all PEs have arrived as often as this one. */
  synchronized void arrive(String call) {
    control.arrive(++arrivals);
    inCall(() -> peers.forEach(peer -> waits.await(peer, arrivals, call)));
  }

  /**
   * Waits for work of this PE's GPU; see {@link PeerWait}.
   *
   * @param withOthers whether it needs the other PEs
   */
  synchronized void awaitGpu(BooleanSupplier isDone, boolean withOthers, String call) {
    waits.await(isDone, withOthers ? peers : List.of(), call);
  }

  /** Makes later calls fail, too. */
  synchronized SymmetricMemoryException failed(String message) {
    failure = message;
    return new SymmetricMemoryException(message);
  }

  /** Names another PE and its executor. */
  synchronized String name(int peer) {
    return peers.get(peer).toString();
  }

  synchronized void checkOpen() {
    if (closing) {
      throw new IllegalStateException("the symmetric memory of PE " + pe + " is closed");
    }
    if (!failure.isEmpty()) {
      throw new IllegalStateException("an earlier call failed: " + failure);
    }
  }

  static void checkApart(long from, long to, long all) {
    if (from < to + all && to < from + all) {
      throw new IllegalArgumentException(
          "%d bytes to send from offset %d overlap those to receive from offset %d"
              .formatted(all, from, to));
    }
  }

  private void check(long offset, long length, int alignment) {
    check(offset, length, alignment, bytes());
  }

  static void check(long offset, long length, int alignment, long bytes) {
    if (offset < 0 || length < 0 || offset > bytes - length || offset % alignment != 0) {
      throw new IllegalArgumentException(
          "%d bytes at offset %d are not in the buffer of %d bytes, or not aligned to %d bytes"
              .formatted(length, offset, bytes, alignment));
    }
  }
}
