// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.cuda.CudaFunction;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.LaunchShape;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

/**
 * A kernel with its arguments, which can be queued any number of times. The memory that the
 * arguments refer to must stay valid until the kernel is done. Not thread-safe.
 */
public class KernelLaunch implements AutoCloseable {
  private static final long TABLE_ALIGNMENT = 16;

  private final WorkspacePool pool;
  private final CudaFunction function;
  private final LaunchShape shape;
  private final Workspace workspace;
  private final long usedBytes;
  private final MemorySegment arguments;
  private final AtomicBoolean closed = new AtomicBoolean();
  private boolean uploaded;
  private boolean queuedBefore;

  /**
   * The device memory of a launch's status and tables.
   *
   * @param device the whole range
   */
  record Place(DeviceRange device) {
    /** Returns the address of the status. */
    long status() {
      return device.address();
    }

    /** Returns the address of the tables, 16-byte aligned. */
    long tables() {
      return device.address() + tablesOffset();
    }

    static long tablesOffset() {
      return (KernelStatus.BYTES + TABLE_ALIGNMENT - 1) / TABLE_ALIGNMENT * TABLE_ALIGNMENT;
    }
  }

  /** Writes the tables of a launch. */
  @FunctionalInterface
  interface Tables {
    /**
     * Writes the tables.
     *
     * @param to memory to write to, all zeros
     */
    void write(MemorySegment to);
  }

  /**
   * @param argument makes the argument, a {@link DeviceStruct}
   */
  KernelLaunch(
      KernelModule module,
      String function,
      LaunchShape shape,
      long tableBytes,
      Tables tables,
      Function<Place, Record> argument) {
    this.pool = module.pool();
    this.function = module.function(function);
    this.shape = shape;
    this.usedBytes = Place.tablesOffset() + tableBytes;
    this.workspace = pool.acquire(usedBytes);
    try {
      MemorySegment host = workspace.host().asSlice(0, usedBytes).fill((byte) 0);
      tables.write(host.asSlice(Place.tablesOffset()));
      this.arguments = DeviceStruct.of(argument.apply(new Place(workspace.device())));
    } catch (RuntimeException e) {
      pool.release(workspace);
      throw e;
    }
  }

  /**
   * Queues the kernel. The first time, it also queues a copy of the tables to the device.
   *
   * @param stream the stream, the same one each time
   */
  public void queue(CudaStream stream) {
    queueKernel(stream);
    workspace.queued(stream);
  }

  /** Does what {@link #queue} and {@link #queueResults} of this class do, with one event. */
  public final void queueWithResults(CudaStream stream) {
    queueKernel(stream);
    copyResults(stream);
    workspace.queued(stream);
  }

  private void queueKernel(CudaStream stream) {
    if (closed.get()) {
      throw new IllegalStateException("the launch of " + function.name() + " is closed");
    }
    workspace.queueing();
    if (!uploaded) {
      upload(stream);
      uploaded = true;
    }
    if (queuedBefore) {
      zeroResults(stream);
    }
    queuedBefore = true;
    launch(stream);
  }

  /**
   * Queues the zeroing of what the kernel combines its results with. Not called for the first
   * launch, whose tables are zero there when they are copied to the device.
   */
  void zeroResults(CudaStream stream) {}

  /** Queues only the kernel. */
  void launch(CudaStream stream) {
    function.launch(stream, shape, arguments);
  }

  /** Copies status and tables to the device. */
  private void upload(CudaStream stream) {
    stream.copyIn(workspace.device().slice(0, usedBytes), workspace.host().asSlice(0, usedBytes));
  }

  /**
   * Waits until the kernel is done and checks its status: {@link #queueResults}, a wait, and {@link
   * #check}.
   *
   * @throws TimeoutException when it is not done in time; it keeps running
   * @throws KernelException when it reported a failure; it can be queued again
   */
  public void await(CudaStream stream, Duration limit) throws TimeoutException {
    queueResults(stream);
    stream.synchronize(limit);
    check();
  }

  /**
   * Queues copies of the kernel's status and results to the host, so that one wait serves several
   * launches.
   */
  public final void queueResults(CudaStream stream) {
    workspace.queueing();
    copyResults(stream);
    workspace.queued(stream);
  }

  /** Queues copies of the kernel's status and results to the host. */
  void copyResults(CudaStream stream) {
    stream.copyOut(hostStatus(), workspace.device().slice(0, KernelStatus.BYTES));
  }

  /**
   * Checks the kernel's status after {@link #queueResults} and a wait for the stream.
   *
   * @throws KernelException when it reported a failure; it can be queued again
   */
  public void check() {
    MemorySegment status = hostStatus();
    Optional<String> problem = problem(KernelStatus.read(status));
    if (problem.isPresent()) {
      status.fill((byte) 0);
      uploaded = false;
      throw new KernelException(problem.get());
    }
  }

  private MemorySegment hostStatus() {
    return workspace.host().asSlice(0, KernelStatus.BYTES);
  }

  /** Returns the kernel's failure, a sentence without a period; empty when it succeeded. */
  Optional<String> problem(KernelStatus status) {
    return status.problem("the kernel " + function.name());
  }

  /** Returns the argument. */
  final MemorySegment arguments() {
    return arguments;
  }

  /**
   * Queues a copy of what the kernel wrote into its tables.
   *
   * @return pinned memory of this launch, which is valid until it is closed; the copy is complete
   *     after a wait for the stream
   */
  final MemorySegment readTables(CudaStream stream, long offset, long bytes) {
    long at = Place.tablesOffset() + offset;
    MemorySegment to = workspace.host().asSlice(at, bytes);
    stream.copyOut(to, workspace.device().slice(at, bytes));
    return to;
  }

  /** Zeroes a part of the tables, before the kernel writes it. */
  final void zeroTables(CudaStream stream, long offset, long bytes) {
    stream.fill(workspace.device().slice(Place.tablesOffset() + offset, bytes), (byte) 0);
  }

  /** Releases its memory; leaks what the kernel may still use, if it is not done. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      pool.release(workspace);
    }
  }
}
