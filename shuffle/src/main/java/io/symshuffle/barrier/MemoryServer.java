// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.SlabStats;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The symmetric memory of this executor's tasks: slabs of its heap, which are freed when no PE of
 * the host can access them. Serves them to tasks on other hosts, as blocks of a shuffle that does
 * not exist. Thread-safe; one per executor.
 */
public final class MemoryServer implements AutoCloseable {
  /** How much is sent at once. */
  static final int SLICE_BYTES = 4 << 20;

  /** Block ids have offsets in this unit. */
  static final int UNIT_BYTES = 64;

  /** Spark numbers shuffles from 0, so none has this id. */
  private static final int SHUFFLE_ID = Integer.MAX_VALUE - 1;

  /** How long to wait for memory that is closed but not freed; a dead PE takes most of it. */
  private static final Duration LONGEST_END = SymmetricMemory.DEAD_GPU.plusSeconds(1);

  /** For so many freed memories, others can still learn after which call they were closed. */
  private static final int REMEMBERED = 1024;

  private static final Logger LOG = LoggerFactory.getLogger(MemoryServer.class);

  private final ShuffleRuntime runtime;
  private final Map<Long, SymmetricMemory> memories = new ConcurrentHashMap<>();
  private final Set<Meeting> meetings = ConcurrentHashMap.newKeySet();

  @GuardedBy("ended")
  private final Map<Long, ControlBlock> ended =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Long, ControlBlock> eldest) {
          return size() > REMEMBERED;
        }
      };

  private MemoryServer(ShuffleRuntime runtime) {
    this.runtime = runtime;
    runtime.repeat("free symmetric memory", this::reclaim);
    runtime.repeat("end waits for symmetric memory", () -> meetings.forEach(Meeting::check));
  }

  /** Returns the server of an executor. */
  public static MemoryServer of(ShuffleRuntime runtime) {
    return runtime.shared(MemoryServer.class, () -> new MemoryServer(runtime));
  }

  ShuffleRuntime runtime() {
    return runtime;
  }

  /** Allocates memory of the heap, as below. */
  Slab allocate(long bytes) {
    return allocate(
        runtime.slabs(),
        bytes,
        "heap of PE " + runtime.myPe(),
        "spark.symshuffle.heap.size, or free memory of the host");
  }

  /**
   * Allocates memory. If it is full, frees what earlier stages no longer need, and waits for tasks
   * of theirs that are ending, such as those of the attempt before this one.
   *
   * @param heap the heap of the slabs, for the message
   * @param remedy what to increase if it stays full, for the message
   */
  Slab allocate(SlabAllocator slabs, long bytes, String heap, String remedy) {
    Optional<Slab> slab = slabs.allocate(bytes);
    for (long start = System.nanoTime(); slab.isEmpty(); pause()) {
      boolean last =
          memories.values().stream().noneMatch(SymmetricMemory::isClosing)
              || System.nanoTime() - start > LONGEST_END.toNanos();
      reclaim();
      slab = slabs.allocate(bytes);
      if (last) {
        break;
      }
    }
    return slab.orElseThrow(
        () -> {
          SlabStats stats = slabs.stats();
          return new SymmetricMemoryException(
              "the %s has no %d bytes for symmetric memory: shuffles and other stages use %d of its %d bytes, and %d are free in one piece; increase %s"
                  .formatted(
                      heap,
                      bytes,
                      stats.usedBytes(),
                      stats.capacityBytes(),
                      stats.largestFreeBytes(),
                      remedy));
        });
  }

  private static void pause() {
    try {
      Thread.sleep(50);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SymmetricMemoryException("the thread was interrupted while the heap was full", e);
    }
  }

  void add(long generation, SymmetricMemory memory) {
    memories.put(generation, memory);
  }

  /** Waits for the other tasks of a stage, with the meeting's limit. */
  String[] await(Meeting meeting, Supplier<String[]> gather) {
    meetings.add(meeting);
    try {
      return meeting.await(gather);
    } finally {
      meetings.remove(meeting);
    }
  }

  /** Frees all memory that no PE of the host can access anymore. */
  void reclaim() {
    memories.values().removeIf(MemoryServer::isFreed);
  }

  private static boolean isFreed(SymmetricMemory memory) {
    try {
      return memory.tryFree();
    } catch (RuntimeException | InternalError e) {
      // InternalError: the file of a dead PE was truncated.
      LOG.debug("Symmetric memory is not freed yet", e);
      return false;
    }
  }

  /** Remembers the state of memory that is being freed. */
  void end(long generation, ControlBlock last) {
    synchronized (ended) {
      ended.put(generation, last);
    }
  }

  /** Returns whether a block is symmetric memory. */
  public static boolean isMemory(BlockId id) {
    return id instanceof ShuffleBlockBatchId block && block.shuffleId() == SHUFFLE_ID;
  }

  /** The block of bytes in a PE's memory, which counts from the control block. */
  static BlockId blockId(long generation, long from, long bytes) {
    return new ShuffleBlockBatchId(
        SHUFFLE_ID,
        generation,
        Math.toIntExact(from / UNIT_BYTES),
        Math.toIntExact(Math.ceilDiv(from + bytes, UNIT_BYTES)));
  }

  /**
   * Answers a task of another host.
   *
   * @param id {@linkplain #isMemory of this kind}
   * @throws IllegalStateException if the memory is not there anymore
   */
  public ManagedBuffer read(BlockId id) {
    ShuffleBlockBatchId block = (ShuffleBlockBatchId) id;
    long from = (long) block.startReduceId() * UNIT_BYTES;
    long bytes = (long) block.endReduceId() * UNIT_BYTES - from;
    MemorySegment copy =
        Optional.ofNullable(memories.get(block.mapId()))
            .flatMap(memory -> memory.copy(from, bytes))
            .orElseGet(() -> last(block));
    return new NioManagedBuffer(copy.asByteBuffer());
  }

  private MemorySegment last(ShuffleBlockBatchId block) {
    synchronized (ended) {
      ControlBlock last = ended.get(block.mapId());
      if (last != null && block.startReduceId() == 0) {
        return MemorySegment.ofArray(last.memory().toArray(JAVA_BYTE));
      }
    }
    throw new IllegalStateException("%s is symmetric memory that was freed".formatted(block));
  }

  /** The bytes that {@link #write} expects. */
  static ByteBuffer slice(long offset, MemorySegment bytes) {
    ByteBuffer slice = ByteBuffer.allocate(Long.BYTES + (int) bytes.byteSize());
    MemorySegment.ofBuffer(slice.putLong(offset)).copyFrom(bytes);
    return slice.rewind();
  }

  /**
   * Receives bytes of a task of another host.
   *
   * @param id {@linkplain #isMemory of this kind}
   */
  public StreamCallbackWithID write(BlockId id) {
    return new StreamCallbackWithID() {
      private final ByteBuffer slice = ByteBuffer.allocate(Long.BYTES + SLICE_BYTES);

      @Override
      public String getID() {
        return id.name();
      }

      @Override
      public void onData(String stream, ByteBuffer bytes) {
        slice.put(bytes);
      }

      @Override
      public void onComplete(String stream) {
        SymmetricMemory memory = memories.get(((ShuffleBlockBatchId) id).mapId());
        if (memory == null) {
          throw new IllegalStateException("%s is symmetric memory that was freed".formatted(id));
        }
        slice.flip();
        memory.receive(slice.getLong(), MemorySegment.ofBuffer(slice));
      }

      @Override
      public void onFailure(String stream, Throwable cause) {
        LOG.debug("Bytes of {} did not arrive; their sender fails", id, cause);
      }
    };
  }

  @Override
  public void close() {
    // The heap ends, too.
    memories.clear();
  }
}
