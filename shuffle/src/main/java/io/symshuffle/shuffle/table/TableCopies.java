// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.PinnedPool;
import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.kernel.CheckTablesLaunch;
import io.symshuffle.kernel.CrcLaunch;
import io.symshuffle.kernel.HostTableCheck;
import io.symshuffle.kernel.KernelException;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.kernel.LaunchPlan;
import io.symshuffle.kernel.PackLaunch;
import io.symshuffle.kernel.PackedTables;
import io.symshuffle.kernel.Piece;
import io.symshuffle.kernel.SerializedTable;
import io.symshuffle.kernel.TableSchema;
import io.symshuffle.kernel.UnpackLaunch;
import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies data between this GPU's memory, the windows of the device heap and host memory, for one
 * task. Everything is queued; it is complete when {@link #await} returns.
 *
 * <p>Copies are queued on the stream on which the columnar engine queues the work of the calling
 * thread. The engine allocates and frees its memory in the order of that stream. So its memory may
 * be freed even if a copy has timed out: the memory is not reused before the copy is done. Slabs of
 * the device heap have no such order. They may be freed or unprotected only if {@link #settle}
 * returns true.
 *
 * <p>Used only by the thread that created it: the engine may have another stream for each thread,
 * under one handle.
 */
public final class TableCopies implements AutoCloseable {
  /** The alignment of serialized tables, with which kernels load and store 16 bytes at a time. */
  public static final long ALIGNMENT = 16;

  private static final long HOST_STEP = 8 << 20;

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Logger LOG = LoggerFactory.getLogger(TableCopies.class);

  private final TableEngine engine;
  private final CudaStream stream;
  private final Optional<Kernels> kernels;
  private final PinnedSteps pinned;
  private final Duration limit;

  /** Launches whose wait has not ended, or had no result in time. */
  private final List<KernelLaunch> unfinished = new ArrayList<>();

  private final Thread thread = Thread.currentThread();

  private boolean idle = true;

  /** Only copies between GPU and host were queued since the last wait. */
  private boolean copying;

  /**
   * Copies of a task of this executor, on the engine's stream of the calling thread, with the
   * kernels of its device heap and {@link #pinned pinned memory}.
   */
  public static TableCopies ofTask(ShuffleRuntime runtime, TableEngine engine) {
    return new TableCopies(
        engine, runtime.device().map(DeviceTier::kernels), Optional.of(pinned(runtime, engine)));
  }

  /** Pinned memory of this executor's tasks, half of what it may have. */
  public static PinnedPool pinned(ShuffleRuntime runtime, TableEngine engine) {
    return runtime.shared(
        PinnedPool.class,
        () -> new PinnedPool(engine.context(), runtime.config().pinnedBytes() / 2));
  }

  /**
   * Uses the engine's stream of the calling thread.
   *
   * @param kernels copy lists of pieces, compute checksums, and pack, unpack and check tables;
   *     empty without a device heap: the host then computes, unpacks and checks
   * @param pool pinned memory, through which copies between GPU and other host memory are faster
   */
  public TableCopies(TableEngine engine, Optional<Kernels> kernels, Optional<PinnedPool> pool) {
    this(engine, kernels, pool, LIMIT);
  }

  /** Uses another timeout than a minute for each wait. */
  TableCopies(
      TableEngine engine, Optional<Kernels> kernels, Optional<PinnedPool> pool, Duration limit) {
    this.engine = engine;
    this.stream = engine.context().foreignStream(engine.streamHandle());
    this.kernels = kernels;
    this.pinned = new PinnedSteps(pool);
    this.limit = limit;
  }

  /**
   * Queues a copy of pieces of GPU memory, including that of peers.
   *
   * @param pieces the pieces, grouped by PE
   * @param pes number of PEs from which data is copied
   * @throws java.util.NoSuchElementException if there are no kernels, but pieces to copy
   */
  public void copy(List<Piece> pieces, int pes) {
    if (pieces.isEmpty()) {
      return;
    }
    Kernels available = kernels.orElseThrow();
    LaunchPlan plan = available.planFor(pieces, Math.max(1, pes));
    queue(available.pull(pieces, plan));
  }

  /** Queues a copy of pieces as {@link #copy} does, with the GPU's copy engines and more calls. */
  public void copyWithoutKernel(List<Piece> pieces) {
    pieces.forEach(piece -> engineStream().copy(piece.destination(), piece.source()));
  }

  /**
   * Computes checksums as {@link #checksums} does, on the host, which takes longer. Waits.
   *
   * @throws IOException if the work that was queued before does not complete within a minute
   */
  public int[] checksumsOnHost(List<DeviceRange> ranges) throws IOException {
    int[] checksums = new int[ranges.size()];
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment step =
          DirectMemory.require(
              "a buffer of %d bytes to verify tables",
              HOST_STEP, () -> arena.allocate(HOST_STEP, ALIGNMENT));
      for (int i = 0; i < checksums.length; i++) {
        DeviceRange range = ranges.get(i);
        if (range.bytes() <= Piece.MAX_BYTES) {
          CRC32C crc = new CRC32C();
          for (long done = 0; done < range.bytes(); done += HOST_STEP) {
            MemorySegment part = step.asSlice(0, Math.min(HOST_STEP, range.bytes() - done));
            toHost(part, range.slice(done, part.byteSize()));
            await();
            crc.update(part.asByteBuffer());
          }
          checksums[i] = (int) crc.getValue();
        }
      }
    }
    return checksums;
  }

  /**
   * Queues the computation of checksums of ranges of GPU memory, after all work that was queued
   * before.
   *
   * @param ranges ranges of this GPU's memory or of windows of the device heap
   * @return the checksums, to be called after {@link #await}: int[ranges], CRC32C of each range; 0
   *     if it is empty or longer than {@link Piece#MAX_BYTES}, the limit of the kernel
   * @throws IOException if there are no kernels, and the work that was queued before does not
   *     complete within a minute
   */
  public Supplier<int[]> checksums(List<DeviceRange> ranges) throws IOException {
    int[] computed =
        IntStream.range(0, ranges.size())
            .filter(i -> ranges.get(i).bytes() > 0 && ranges.get(i).bytes() <= Piece.MAX_BYTES)
            .toArray();
    if (computed.length == 0) {
      return () -> new int[ranges.size()];
    }
    if (kernels.isEmpty()) {
      int[] checksums = checksumsOnHost(ranges);
      return () -> checksums;
    }
    CrcLaunch launch = kernels.get().crc32c(IntStream.of(computed).mapToObj(ranges::get).toList());
    queue(launch);
    return () -> {
      int[] checksums = new int[ranges.size()];
      int[] found = launch.results();
      for (int i = 0; i < found.length; i++) {
        checksums[computed[i]] = found[i];
      }
      return checksums;
    };
  }

  /**
   * Allocates the engine's memory, with its retries.
   *
   * @param bytes more than 0
   * @return empty if there is no memory, whatever the engine does
   */
  Optional<EngineBuffer> tryAllocate(long bytes) {
    try {
      return Optional.of(engine.withRetry(() -> engine.allocate(bytes)));
    } catch (RuntimeException | OutOfMemoryError e) {
      // The engine's exceptions for this have no common type. A broken GPU fails the next call.
      LOG.debug("No memory of {} bytes", bytes, e);
      return Optional.empty();
    }
  }

  /**
   * Queues the packing of tables, after all work that was queued before.
   *
   * @param to memory of {@link PackedTables#roomFor} bytes
   * @return where each is then, one after the other from the start of {@code to}; to be called
   *     after {@link #await}
   * @throws java.util.NoSuchElementException if there are no kernels
   */
  Supplier<List<DeviceRange>> pack(List<DeviceRange> tables, DeviceRange to) {
    PackLaunch launch = kernels.orElseThrow().pack(tables, to);
    queue(launch);
    return launch::packed;
  }

  /**
   * Queues the unpacking of tables, after all work that was queued before.
   *
   * @param plain where each goes, as long as the table
   * @return the numbers of those that cannot be decoded, to be called after {@link #await}
   * @throws IOException if there are no kernels, and the work that was queued before does not
   *     complete within a minute
   */
  public Supplier<BitSet> unpack(List<DeviceRange> packed, List<DeviceRange> plain)
      throws IOException {
    if (packed.isEmpty()) {
      return BitSet::new;
    }
    if (kernels.isEmpty()) {
      BitSet damaged = unpackOnHost(packed, plain);
      return () -> damaged;
    }
    UnpackLaunch launch = kernels.orElseThrow().unpack(packed, plain);
    queue(launch);
    return launch::damaged;
  }

  /**
   * Unpacks tables as {@link #unpack} does, on the host, which takes much longer. Waits.
   *
   * @throws IOException if the work that was queued before does not complete within a minute
   */
  public BitSet unpackOnHost(List<DeviceRange> packed, List<DeviceRange> plain) throws IOException {
    BitSet damaged = new BitSet();
    for (int i = 0; i < packed.size(); i++) {
      DeviceRange from = packed.get(i);
      DeviceRange to = plain.get(i);
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment both =
            DirectMemory.require(
                "%d bytes to unpack a table",
                from.bytes() + to.bytes(),
                "spark.rapids.sql.batchSizeBytes",
                () -> arena.allocate(from.bytes() + to.bytes(), ALIGNMENT));
        MemorySegment source = both.asSlice(0, from.bytes());
        MemorySegment result = both.asSlice(from.bytes());
        toHost(source, from);
        await();
        if (PackedTables.decode(source, result)) {
          toDevice(to, result);
          await();
        } else {
          damaged.set(i);
        }
      }
    }
    return damaged;
  }

  /**
   * Queues the check of serialized tables, after all work that was queued before: whether the
   * engine can assemble them without reading or writing anything else.
   *
   * @param schema the columns that each should have
   * @return what is wrong with a table, by its number in the list, without a period; to be called
   *     after {@link #await}
   * @throws IOException if there are no kernels, and the work that was queued before does not
   *     complete within a minute
   */
  public IntFunction<Optional<String>> problems(List<SerializedTable> tables, TableSchema schema)
      throws IOException {
    if (kernels.isEmpty()) {
      return problemsOnHost(tables, schema);
    }
    CheckTablesLaunch launch = kernels.get().checkTables(tables, schema);
    queue(launch);
    return launch::problem;
  }

  /**
   * Checks tables as {@link #problems} does, on the host, which takes longer. Waits.
   *
   * @throws IOException if the work that was queued before does not complete within a minute
   */
  public IntFunction<Optional<String>> problemsOnHost(
      List<SerializedTable> tables, TableSchema schema) throws IOException {
    List<Optional<String>> problems = new ArrayList<>();
    for (SerializedTable table : tables) {
      DeviceRange range = table.range();
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment copy =
            DirectMemory.require(
                "%d bytes to check a table",
                range.bytes(),
                "spark.rapids.sql.batchSizeBytes",
                () -> arena.allocate(Math.max(1, range.bytes()), ALIGNMENT));
        toHost(copy.asSlice(0, range.bytes()), range);
        await();
        problems.add(HostTableCheck.problem(copy.asSlice(0, range.bytes()), table.rows(), schema));
      }
    }
    return problems::get;
  }

  /** Queues a launch, which {@link #await} checks and closes. */
  private void queue(KernelLaunch launch) {
    unfinished.add(launch);
    copying = false;
    launch.queueWithResults(engineStream());
  }

  /**
   * Copies from GPU memory to native host memory, after all work that was queued before, including
   * the engine's.
   *
   * @param to where to; it has the bytes when {@link #await} returns
   * @throws IOException if that work does not complete within a minute
   * @throws KernelException if a kernel reported a failure
   */
  public void toHost(MemorySegment to, DeviceRange from) throws IOException {
    for (long done = 0; done < from.bytes(); ) {
      Optional<MemorySegment> step = step(from.bytes() - done);
      if (step.isEmpty()) {
        awaitOtherWork();
        engineStream().copyOut(to.asSlice(done), from.slice(done, from.bytes() - done));
        return;
      }
      long length = step.get().byteSize();
      engineStream().copyOut(step.get(), from.slice(done, length));
      pinned.copyLater(step.get(), to.asSlice(done, length));
      done += length;
    }
  }

  /**
   * Copies from native host memory to GPU memory, after all work that was queued before, including
   * the engine's.
   *
   * @param from where from; it has been read when this method returns
   * @throws IOException if that work does not complete within a minute
   * @throws KernelException if a kernel reported a failure
   */
  public void toDevice(DeviceRange to, MemorySegment from) throws IOException {
    for (long done = 0; done < to.bytes(); ) {
      Optional<MemorySegment> step = step(to.bytes() - done);
      if (step.isEmpty()) {
        awaitOtherWork();
        engineStream().copyIn(to.slice(done, to.bytes() - done), from.asSlice(done));
        return;
      }
      long length = step.get().byteSize();
      step.get().copyFrom(from.asSlice(done, length));
      engineStream().copyIn(to.slice(done, length), step.get());
      done += length;
    }
  }

  /**
   * Pinned memory for the next step of a copy. Waits for this task's own copies when they use all
   * that it may have; empty if other tasks have everything.
   */
  private Optional<MemorySegment> step(long bytes) throws IOException {
    Optional<MemorySegment> step = pinned.take(bytes);
    if (step.isEmpty() && pinned.isUsed()) {
      await();
      step = pinned.take(bytes);
    }
    if (step.isPresent()) {
      copying = false;
    }
    return step;
  }

  /**
   * Queues copies from pinned memory to GPU memory, after all work that was queued before.
   *
   * @param pieces the memory, in order, together as long as {@code to}; valid until {@link #await}
   *     returns
   */
  public void toDevice(DeviceRange to, List<MemorySegment> pieces) {
    copying = false;
    CudaStream queue = engineStream();
    long done = 0;
    for (MemorySegment piece : pieces) {
      queue.copyIn(to.slice(done, piece.byteSize()), piece);
      done += piece.byteSize();
    }
  }

  /**
   * Waits for the work that was queued before a series of copies between GPU and host, once: for
   * memory that is not pinned, CUDA's driver would wait in each copy, without a limit.
   */
  private void awaitOtherWork() throws IOException {
    if (!copying) {
      engineStream();
      await();
      copying = true;
    }
  }

  /**
   * Waits until all queued work is done.
   *
   * @throws IOException if it does not complete within a minute
   * @throws KernelException if a kernel reported a failure
   */
  public void await() throws IOException {
    checkThread();
    if (idle) {
      return;
    }
    copying = false;
    try {
      stream.synchronize(limit);
    } catch (TimeoutException e) {
      throw new IOException(
          "copying shuffle data in GPU memory took longer than %s s: %s"
              .formatted(limit.toMillis() / 1e3, e.getMessage()),
          e);
    }
    try {
      unfinished.forEach(KernelLaunch::check);
      pinned.copyOut();
    } finally {
      completed();
    }
  }

  /**
   * Waits until the GPU no longer uses slabs of the device heap on behalf of this task. Called when
   * the task ends.
   *
   * @return false if it may still use them: the work did not complete within a minute, or the GPU
   *     failed
   */
  public boolean settle() {
    checkThread();
    if (idle) {
      return true;
    }
    try {
      stream.synchronize(limit);
      completed();
      return true;
    } catch (TimeoutException | RuntimeException e) {
      LOG.error("The GPU did not finish the work of a task: {}", e.getMessage());
      return false;
    }
  }

  /**
   * The stream, for work to be queued.
   *
   * @throws IllegalStateException if the engine has switched to another stream since
   */
  private CudaStream engineStream() {
    checkThread();
    idle = false;
    long now = engine.streamHandle();
    if (now != stream.address()) {
      throw new IllegalStateException(
          "the columnar engine uses stream %x, but memory is copied on stream %x"
              .formatted(now, stream.address()));
    }
    return stream;
  }

  private void checkThread() {
    if (!Thread.currentThread().equals(thread)) {
      throw new IllegalStateException(
          "memory of a GPU is copied on thread %s, not on %s"
              .formatted(thread.getName(), Thread.currentThread().getName()));
    }
  }

  /** All queued work is done. */
  private void completed() {
    unfinished.forEach(KernelLaunch::close);
    unfinished.clear();
    pinned.giveBack();
    idle = true;
  }

  /** Rounds a size or offset up to the start of the next table. */
  public static long aligned(long bytes) {
    return (bytes + ALIGNMENT - 1) & -ALIGNMENT;
  }

  /** Splits a copy into pieces that a kernel can copy. */
  public static List<Piece> pieces(DeviceRange from, DeviceRange to, int pe) {
    if (from.bytes() <= Piece.MAX_BYTES) {
      return List.of(new Piece(from, to, pe));
    }
    List<Piece> pieces = new ArrayList<>();
    for (long done = 0; done < from.bytes(); done += Piece.MAX_BYTES) {
      long length = Math.min(Piece.MAX_BYTES, from.bytes() - done);
      pieces.add(new Piece(from.slice(done, length), to.slice(done, length), pe));
    }
    return pieces;
  }

  /** Releases the memory of launches and copies; leaks it if the GPU may still use it. */
  @Override
  public void close() {
    unfinished.forEach(KernelLaunch::close);
    unfinished.clear();
    idle = true;
    stream.close();
  }
}
