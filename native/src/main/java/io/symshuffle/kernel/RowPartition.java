// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaFunction;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.LaunchShape;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Sorts the records of a staging buffer on the GPU into a run: records ordered by partition and,
 * within a partition, by arrival, and a table of the run's blocks. It can be queued any number of
 * times; its kernels run one after the other on one stream, without the host. The memory it uses
 * must stay valid until it is done. On the CPU, {@code RunBuilder} of module {@code shuffle}
 * produces the same bytes.
 *
 * <p>Staging is not trusted: each header is checked before it is used, and an invalid one leads to
 * a {@link KernelException}; the run is then invalid. For its expected speed see {@code
 * row_partition.cu}; for measurements on an H200, {@code docs/benchmarks/row-partition-h200.json}.
 *
 * <p>Not thread-safe.
 */
public final class RowPartition implements AutoCloseable {
  private static final int ALIGNMENT = 16;
  private static final int TEMPORARY_ALIGNMENT = 128;
  private static final long REPORT_BYTES = KernelStatus.BYTES + Long.BYTES;

  /**
   * The workspace has the report, then three tables in host memory: partitions, starts, checksums.
   */
  private static final long TABLES_OFFSET = (REPORT_BYTES + ALIGNMENT - 1) & -ALIGNMENT;

  private static final int TABLES = 3;

  private final RowPartitionPlan plan;
  private final DeviceRange temporary;
  private final WorkspacePool pool;
  private final Workspace workspace;
  private final List<Launch> launches = new ArrayList<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  private record Launch(CudaFunction function, LaunchShape shape, MemorySegment arguments) {}

  /**
   * The non-empty blocks of a run, in ascending order of their partitions.
   *
   * @param count number of blocks, 1 or more
   * @param partitions int[count], ascending
   * @param starts int[count + 1], the start of each block in the run and the end of the last, in
   *     units of 8 bytes
   * @param checksums int[count], CRC-32C of each block as {@link java.util.zip.CRC32C} gives it, or
   *     zeros if they were not requested
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Blocks(int count, int[] partitions, int[] starts, int[] checksums) {}

  /**
   * The memory that it uses.
   *
   * @param staging the records one after the other, each with a header of 8 bytes (u32 length, u32
   *     partition) and padding to a multiple of 8 bytes; 16-byte aligned, of the plan's length
   * @param groupStarts u32[groups]: the offsets of records 0, 32, 64, … in staging, in units of 8
   *     bytes
   * @param run the output; 16-byte aligned, of the same length as staging, readable up to the next
   *     multiple of 16 bytes, as slabs are
   * @param temporary scratch memory, 128-byte aligned, {@link RowPartitionPlan#temporaryBytes} or
   *     more
   */
  public record Memory(
      DeviceRange staging, DeviceRange groupStarts, DeviceRange run, DeviceRange temporary) {

    /** Checks that nothing is null. */
    public Memory {
      requireNonNull(staging, "staging is null");
      requireNonNull(groupStarts, "groupStarts is null");
      requireNonNull(run, "run is null");
      requireNonNull(temporary, "temporary is null");
    }

    private void check(RowPartitionPlan plan) {
      check("staging", staging, plan.bytes(), ALIGNMENT);
      check("the list of group starts", groupStarts, plan.groupStartsBytes(), Integer.BYTES);
      check("the run", run, plan.bytes(), ALIGNMENT);
      if (temporary.bytes() < plan.temporaryBytes()) {
        throw new IllegalArgumentException(
            "%d bytes of temporary memory are too few: %s".formatted(temporary.bytes(), plan));
      }
      if (temporary.address() % TEMPORARY_ALIGNMENT != 0) {
        throw new IllegalArgumentException(
            "temporary memory is not 128-byte aligned: " + temporary);
      }
      List<DeviceRange> all = List.of(staging, groupStarts, run, temporary);
      for (int i = 0; i < all.size(); i++) {
        for (int j = 0; j < i; j++) {
          if (all.get(i).overlaps(all.get(j))) {
            throw new IllegalArgumentException("%s overlap %s".formatted(all.get(i), all.get(j)));
          }
        }
      }
    }

    private static void check(String what, DeviceRange range, long bytes, int alignment) {
      if (range.bytes() != bytes || range.address() % alignment != 0) {
        throw new IllegalArgumentException(
            "%s should have %d bytes, %d-byte aligned, not %s"
                .formatted(what, bytes, alignment, range));
      }
    }
  }

  RowPartition(KernelModule module, RowPartitionPlan plan, Memory memory, boolean checksums) {
    this.plan = requireNonNull(plan, "plan is null");
    this.temporary = memory.temporary();
    memory.check(plan);
    this.pool = module.pool();
    this.workspace = pool.acquire(TABLES_OFFSET + TABLES * tableBytes(plan));
    for (RowPartitionPlan.Step step : plan.steps()) {
      if (checksums || !step.kernel().equals("crc32c")) {
        launches.add(
            new Launch(
                module.function("symshuffle_row_" + step.kernel()),
                module.ctaShape(step.ctas()),
                DeviceStruct.of(arguments(step, memory, module.pe()))));
      }
    }
  }

  private KernelStruct.RowArguments arguments(RowPartitionPlan.Step step, Memory memory, int pe) {
    RowPartitionPlan.Temporary at = plan.layout();
    long base = temporary.address();
    return new KernelStruct.RowArguments(
        memory.staging().address(),
        memory.groupStarts().address(),
        memory.run().address(),
        base + (step.swapped() ? at.other() : at.items()),
        base + (step.swapped() ? at.items() : at.other()),
        base + at.counts(),
        base + at.sums(),
        workspace.device().address() + KernelStatus.BYTES,
        base + at.blockPartitions(),
        base + at.blockStarts(),
        base + at.blockChecksums(),
        workspace.device().address(),
        (int) (plan.bytes() / Long.BYTES),
        plan.records(),
        plan.partitions(),
        plan.maxBlocks(),
        plan.tileRecords(),
        plan.tileCount(),
        step.digitShift(),
        plan.digitBits(),
        step.tileUnits(),
        plan.maxCtas(),
        pe,
        0);
  }

  /**
   * Queues all launches.
   *
   * @param stream the stream, on which the copies to staging and group starts were queued before
   */
  public void queue(CudaStream stream) {
    if (closed.get()) {
      throw new IllegalStateException("the row partition of " + plan + " is closed");
    }
    workspace.queueing();
    stream.fill(workspace.device().slice(0, REPORT_BYTES), (byte) 0);
    for (Launch launch : launches) {
      launch.function().launch(stream, launch.shape(), launch.arguments());
    }
    workspace.queued(stream);
  }

  /**
   * Waits until the run is complete and returns its blocks.
   *
   * @param stream the stream it was queued on
   * @param limit timeout
   * @return the blocks
   * @throws TimeoutException when it is not done in time; it keeps running
   * @throws KernelException when staging is damaged, with the offset; it can be queued again
   */
  public Blocks await(CudaStream stream, Duration limit) throws TimeoutException {
    MemorySegment report = workspace.host().asSlice(0, REPORT_BYTES);
    workspace.queueing();
    stream.copyOut(report, workspace.device().slice(0, REPORT_BYTES));
    workspace.queued(stream);
    stream.synchronize(limit);
    KernelStatus.read(report)
        .problem("the row partition")
        .ifPresent(
            problem -> {
              throw new KernelException(problem);
            });
    int count = report.get(JAVA_INT, KernelStatus.BYTES);
    if (count < 1 || count > plan.maxBlocks()) {
      throw new KernelException(
          "the kernels reported %d blocks instead of 1 to %d: %s"
              .formatted(count, plan.maxBlocks(), plan));
    }
    RowPartitionPlan.Temporary at = plan.layout();
    workspace.queueing();
    MemorySegment partitions = copyOut(stream, 0, at.blockPartitions(), count);
    MemorySegment starts = copyOut(stream, 1, at.blockStarts(), count + 1);
    MemorySegment checksums = copyOut(stream, 2, at.blockChecksums(), count);
    workspace.queued(stream);
    stream.synchronize(limit);
    return new Blocks(
        count, partitions.toArray(JAVA_INT), starts.toArray(JAVA_INT), checksums.toArray(JAVA_INT));
  }

  /** Queues a copy of numbers to one of the tables in pinned memory. */
  private MemorySegment copyOut(CudaStream stream, int table, long offset, int numbers) {
    MemorySegment to =
        workspace
            .host()
            .asSlice(
                TABLES_OFFSET + table * tableBytes(plan),
                (long) numbers * Integer.BYTES,
                Integer.BYTES);
    stream.copyOut(to, temporary.slice(offset, to.byteSize()));
    return to;
  }

  private static long tableBytes(RowPartitionPlan plan) {
    return Integer.BYTES * (plan.maxBlocks() + 1L);
  }

  /** {@return its plan} */
  public RowPartitionPlan plan() {
    return plan;
  }

  /** Releases its memory, but not the caller's; leaks it if a kernel may still use it. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      pool.release(workspace);
    }
  }
}
