// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.ffi.NativeMemory;
import io.symshuffle.ffi.Segments;
import io.symshuffle.kernel.AllReduce;
import io.symshuffle.kernel.AllReduceLaunch;
import io.symshuffle.kernel.KernelException;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.spark.BarrierTaskContext;

/**
 * GPU memory of a barrier stage: as {@link SymmetricMemory}, but the buffers are in the device
 * heaps of the executors, and count in {@code spark.symshuffle.device.heap.size}. The GPUs of all
 * PEs must reach each other, so they are in one host. PEs may share a GPU.
 *
 * <p>Segments are addresses of this PE's GPU with a length, for kernels and libraries: pass {@link
 * MemorySegment#address}. Access from Java is an {@link IllegalStateException}; copy with {@link
 * #copyIn} and {@link #copyOut}. Use no address after {@link #close} or the end of the task: the
 * memory is freed.
 *
 * <p>Work is queued on the caller's stream, after what the caller has queued there. A collective
 * call returns when its work is done on this PE, and no other PE still reads this PE's buffer. Then
 * the caller may use the buffer on any stream. {@link #put} and {@link #get} return when they are
 * queued. PEs in one executor need different streams, which do not wait for each other.
 *
 * <p>Calls have the rules of {@link SymmetricMemory}: their order, limits and errors. Methods may
 * be called by any thread, one after the other.
 */
public final class GpuSymmetricMemory implements AutoCloseable {
  /** The PE number of the executor, the place in its device heap, and the most CTAs of its GPU. */
  private static final int ADDRESS_LONGS = 3;

  private static final long ADDRESS_BYTES = (long) ADDRESS_LONGS * Long.BYTES;

  /**
   * How many bytes of other PEs each PE reads in an all-reduce in one shot. With two PEs on one
   * H200 it is faster up to this size, and slower for four times as much.
   */
  private static final long ONE_SHOT_BYTES = 1 << 20;

  /** Threads of a CTA, each with a granule of 16 bytes. */
  private static final long CTA_BYTES = 512 * 16;

  private static final long STOP_SECONDS = 10;

  private final SymmetricMemory host;
  private final GpuBuffer gpu;
  private final DeviceTier tier;
  private final long bytes;
  private final Duration limit;
  private int maxCtas;
  private long reductions;

  private GpuSymmetricMemory(
      SymmetricMemory host, GpuBuffer gpu, DeviceTier tier, long bytes, Duration limit) {
    this.host = host;
    this.gpu = gpu;
    this.tier = tier;
    this.bytes = bytes;
    this.limit = limit;
  }

  /** As the other method, with a limit of 10 minutes. */
  public static GpuSymmetricMemory open(BarrierTaskContext task, long bytes, long stream) {
    return open(task, bytes, stream, SymmetricMemory.USUAL_LIMIT);
  }

  /**
   * Opens memory; collective. A task may open several, also next to {@link SymmetricMemory}.
   *
   * @param bytes length of the buffer of each PE, more than 0; the same on all PEs
   * @param stream the CUstream of the executor's GPU that takes the work, as a number; 2 is the
   *     calling thread's default stream
   * @param limit how long a call may wait for another PE
   * @throws SymmetricMemoryException when the device heap has no space, the GPU of another PE
   *     cannot be reached, or another PE fails
   * @throws IllegalStateException when the executor runs without SymShuffle or without a device
   *     heap
   */
  public static GpuSymmetricMemory open(
      BarrierTaskContext task, long bytes, long stream, Duration limit) {
    if (bytes <= 0) {
      throw new IllegalArgumentException("cannot open symmetric memory of " + bytes + " bytes");
    }
    ShuffleRuntime runtime = ShuffleRuntime.require();
    DeviceTier tier =
        runtime
            .device()
            .orElseThrow(
                () ->
                    new IllegalStateException(
                        "PE %d has no device heap, which symmetric memory of GPUs is in: see the executor's log, or set spark.symshuffle.device.required=true"
                            .formatted(runtime.myPe())));
    GpuBuffer gpu = new GpuBuffer(tier, stream);
    long addresses = ADDRESS_BYTES * task.getTaskInfos().length;
    SymmetricMemory host = Opening.open(task, addresses, limit, Optional.of(gpu));
    GpuSymmetricMemory memory = new GpuSymmetricMemory(host, gpu, tier, bytes, limit);
    memory.meet(runtime);
    return memory;
  }

  private synchronized void meet(ShuffleRuntime runtime) {
    use(
        () -> {
          String call = "open(" + bytes + " bytes of GPU memory)";
          host.enter(call);
          long offset = gpu.allocate(MemoryServer.of(runtime), bytes);
          await(true, call);
          int mine = pe() * ADDRESS_LONGS;
          MemorySegment all = host.local();
          all.setAtIndex(JAVA_LONG, mine, runtime.myPe());
          all.setAtIndex(JAVA_LONG, mine + 1, offset);
          all.setAtIndex(JAVA_LONG, mine + 2, tier.kernels().allReduceCtas());
          host.allGather(0, ADDRESS_BYTES);
          for (int pe = 0; pe < peCount(); pe++) {
            long theirs = (long) pe * ADDRESS_LONGS;
            gpu.map(
                (int) all.getAtIndex(JAVA_LONG, theirs),
                all.getAtIndex(JAVA_LONG, theirs + 1),
                bytes,
                host.name(pe));
          }
          maxCtas = maxCtas(all);
        });
  }

  /** The CTAs of all PEs of an executor must run at the same time: they wait for each other. */
  private int maxCtas(MemorySegment addresses) {
    int most = Integer.MAX_VALUE;
    for (int i = 0; i < peCount(); i++) {
      long executor = addresses.getAtIndex(JAVA_LONG, (long) i * ADDRESS_LONGS);
      long together =
          IntStream.range(0, peCount())
              .filter(pe -> addresses.getAtIndex(JAVA_LONG, (long) pe * ADDRESS_LONGS) == executor)
              .count();
      long ctas = addresses.getAtIndex(JAVA_LONG, (long) i * ADDRESS_LONGS + 2);
      most = (int) Math.min(most, Math.max(1, ctas / together));
    }
    return most;
  }

  /** Returns the number of this PE, which is the task's partition. */
  public int pe() {
    return host.pe();
  }

  /** Returns the number of PEs, which is that of the stage's tasks. */
  public int peCount() {
    return host.peCount();
  }

  /** Returns the length of each PE's buffer in bytes. */
  public long bytes() {
    return bytes;
  }

  /**
   * Returns the buffer of this PE, all zeros at first.
   *
   * @return addresses, see above, from a multiple of 64
   */
  public MemorySegment local() {
    return peer(pe());
  }

  /** Returns the buffer of a PE as this PE's GPU addresses it; do not write to that of another. */
  public synchronized MemorySegment peer(int peer) {
    host.checkOpen();
    try (Arena ended = Arena.ofConfined()) {
      return NativeMemory.at(gpu.of(peer).address(), bytes, ended);
    }
  }

  /**
   * Copies memory of the host to this PE's buffer, and waits for it.
   *
   * @param offset first byte in the buffer
   * @param from any memory that Java can read
   */
  public synchronized void copyIn(long offset, MemorySegment from) {
    DeviceRange to = part(pe(), offset, from.byteSize());
    use(
        () -> {
          try (Arena arena = Arena.ofConfined()) {
            gpu.stream().copyIn(to, Segments.allocateCopy(arena, from));
            await(false, "copyIn");
          }
        });
  }

  /**
   * Copies from this PE's buffer to memory of the host, and waits for it.
   *
   * @param offset first byte in the buffer
   * @param to any memory that Java can write
   */
  public synchronized void copyOut(long offset, MemorySegment to) {
    DeviceRange from = part(pe(), offset, to.byteSize());
    use(
        () -> {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment copy = arena.allocate(to.byteSize(), Long.BYTES);
            gpu.stream().copyOut(copy, from);
            await(false, "copyOut");
            to.copyFrom(copy);
          }
        });
  }

  /**
   * Queues a copy from the buffer of a PE.
   *
   * @param offset first byte in the buffer
   * @param destination addresses of this PE's GPU
   */
  public synchronized void get(int peer, long offset, MemorySegment destination) {
    DeviceRange from = part(peer, offset, destination.byteSize());
    use(() -> gpu.stream().copy(range(destination), from));
  }

  /**
   * Queues a copy to the buffer of a PE. That PE sees the bytes after the next {@link #barrier}.
   *
   * @param offset first byte in the buffer
   * @param source addresses of this PE's GPU
   */
  public synchronized void put(int peer, long offset, MemorySegment source) {
    DeviceRange to = part(peer, offset, source.byteSize());
    use(() -> gpu.stream().copy(to, range(source)));
  }

  /**
   * Waits until all PEs have called this, and the work that they had queued before is done;
   * collective. Then all earlier puts are visible.
   */
  public synchronized void barrier() {
    use(() -> enter("barrier()"));
  }

  /**
   * Reduces the elements of all PEs at the same place, and stores the results there on all PEs;
   * collective. Elements are reduced in the order of the PEs, so all PEs have the same bits.
   *
   * @param offset of the first element in bytes, a multiple of the element's length
   * @param count number of elements, 0 or more
   */
  public synchronized void allReduce(
      Reduction reduction, ElementType type, long offset, long count) {
    long length = Math.multiplyExact(count, type.bytes());
    check(offset, length, type.bytes());
    String call =
        "allReduce(" + reduction + ", " + type + ", offset " + offset + ", " + count + " elements)";
    AllReduce arguments =
        new AllReduce(
            gpu.addresses(),
            pe(),
            AllReduce.Type.valueOf(type.name()),
            AllReduce.Operation.valueOf(reduction.name()),
            AllReduce.CONTROL_BYTES + offset,
            count,
            reductions + 1,
            length * (peCount() - 1) <= ONE_SHOT_BYTES,
            Math.clamp(Math.ceilDiv(length, CTA_BYTES), 1, maxCtas),
            gpu.stopAddress(),
            limit.toNanos());
    use(() -> reduce(call, arguments));
  }

  private void reduce(String call, AllReduce arguments) {
    // It may allocate memory, which can wait for kernels of other tasks: before one waits for this.
    try (AllReduceLaunch launch = tier.kernels().allReduce(arguments)) {
      host.enter(call);
      reductions++;
      if (peCount() > 1) {
        host.inCall(() -> reduce(call, launch));
      }
    }
  }

  private void reduce(String call, AllReduceLaunch launch) {
    launch.queueWithResults(gpu.stream());
    try {
      await(true, call);
    } catch (RuntimeException e) {
      stop();
      throw e;
    }
    try {
      launch.check();
    } catch (KernelException e) {
      throw host.failed(
          launch.latePe().isEmpty()
              ? e.getMessage()
              : "PE %d has waited %d s for the GPU of %s in %s: if others are only slow, open the memory with a longer limit"
                  .formatted(pe(), limit.toSeconds(), host.name(launch.latePe().getAsInt()), call));
    }
  }

  /** Ends the kernel's waits, so that the other PEs and the driver do not have to wait for it. */
  private void stop() {
    gpu.stop();
    try {
      gpu.stream().synchronize(Duration.ofSeconds(STOP_SECONDS));
    } catch (TimeoutException e) {
      // The memory is in use until the event after it is reached.
      throw host.failed(
          "the GPU of PE %d does not end its work: %s".formatted(pe(), e.getMessage()));
    }
  }

  /**
   * Copies a block of each PE to all others; collective. Block n, at {@code offset + n * bytes}, is
   * that of PE n, and all PEs have all blocks afterwards.
   *
   * @param blockBytes length of a block
   */
  public synchronized void allGather(long offset, long blockBytes) {
    check(offset, Math.multiplyExact(blockBytes, peCount()), 1);
    collective(
        "allGather(offset " + offset + ", " + blockBytes + " bytes per PE)",
        () -> {
          for (int other : others()) {
            pull(other, offset + other * blockBytes, offset + other * blockBytes, blockBytes);
          }
        });
  }

  /**
   * Sends a block to each PE; collective. Block n at {@code from} of each PE becomes block (that
   * PE) at {@code to} of PE n.
   *
   * @param from of the first block to send
   * @param to of the first block to receive; these blocks must not overlap the sent ones
   * @param blockBytes length of a block
   */
  public synchronized void allToAll(long from, long to, long blockBytes) {
    long all = Math.multiplyExact(blockBytes, peCount());
    check(from, all, 1);
    check(to, all, 1);
    SymmetricMemory.checkApart(from, to, all);
    collective(
        "allToAll(from offset " + from + ", to offset " + to + ", " + blockBytes + " bytes per PE)",
        () -> {
          for (int i = 1; i <= peCount(); i++) {
            int other = (pe() + i) % peCount();
            pull(other, from + pe() * blockBytes, to + other * blockBytes, blockBytes);
          }
        });
  }

  /**
   * Copies bytes of one PE to the same place of all others; collective.
   *
   * @param root the PE that has the bytes
   * @param offset of the first byte
   */
  public synchronized void broadcast(int root, long offset, long length) {
    check(offset, length, 1);
    if (root < 0 || root >= peCount()) {
      throw new IllegalArgumentException("PE %d of %d PEs".formatted(root, peCount()));
    }
    collective(
        "broadcast(from PE " + root + ", offset " + offset + ", " + length + " bytes)",
        () -> {
          if (root != pe()) {
            pull(root, offset, offset, length);
          }
        });
  }

  /**
   * Closes the memory; also happens when the task ends. It is freed when the GPU has done what is
   * queued, and the other PEs have closed theirs or are dead.
   */
  @Override
  public void close() {
    host.close();
  }

  /** A collective in which PEs copy from each other. */
  private void collective(String call, Runnable copies) {
    use(
        () -> {
          enter(call);
          host.inCall(
              () -> {
                copies.run();
                await(true, call);
              });
          host.arrive(call);
        });
  }

  /** Waits until all PEs have done their earlier work, and are in the same call. */
  private void enter(String call) {
    host.checkOpen();
    await(true, call);
    host.enter(call);
  }

  private void pull(int other, long from, long to, long length) {
    gpu.stream().copy(gpu.of(pe()).slice(to, length), gpu.of(other).slice(from, length));
  }

  private void await(boolean withOthers, String call) {
    host.awaitGpu(
        () -> {
          try {
            gpu.stream().synchronize(Duration.ofNanos(TimeUnit.SECONDS.toNanos(1)));
            return true;
          } catch (TimeoutException e) {
            return false;
          }
        },
        withOthers,
        call);
  }

  /** Does something with memory of other PEs, which is not freed meanwhile. */
  private void use(Runnable work) {
    gpu.use(host::checkOpen, work);
  }

  private List<Integer> others() {
    return IntStream.range(1, peCount()).mapToObj(i -> (pe() + i) % peCount()).toList();
  }

  private static DeviceRange range(MemorySegment segment) {
    if (!segment.isNative()) {
      throw new IllegalArgumentException("not memory of the GPU: " + segment);
    }
    return new DeviceRange(segment.address(), segment.byteSize());
  }

  private DeviceRange part(int pe, long offset, long length) {
    check(offset, length, 1);
    return gpu.of(pe).slice(offset, length);
  }

  private void check(long offset, long length, int alignment) {
    SymmetricMemory.check(offset, length, alignment, bytes);
  }
}
