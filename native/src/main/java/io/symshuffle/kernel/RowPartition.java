// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.CudaFunction;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.cuda.LaunchShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Records of a staging buffer on the GPU become a run: the same records sorted by partition, in the
 * order of their arrival within each, and the table of its blocks. Ready to be queued, as often as
 * wanted: all launches follow each other on one stream, without the host. What it names must live
 * until it is done. The CPU's way is {@code RunBuilder} of the module {@code shuffle}; both give
 * the same bytes.
 *
 * <p>Nothing of staging is trusted: each header is checked before anything is read or written by
 * it, and one that does not fit ends in a {@link KernelException}; the run is then invalid. What to
 * expect of its speed stands in {@code row_partition.cu}, what an H200 takes in {@code
 * docs/benchmarks/row-partition-h200.json}.
 *
 * <p>Threads: one at a time; to be closed when it is done.
 */
public final class RowPartition implements AutoCloseable {
  private static final int ALIGNMENT = 16;
  private static final int TEMPORARY_ALIGNMENT = 128;
  private static final long REPORT_BYTES = KernelStatus.BYTES + Long.BYTES;

  private final RowPartitionPlan plan;
  private final DeviceRange temporary;
  private final WorkspacePool pool;
  private final Workspace workspace;
  private final Arena arena = Arena.ofShared();
  private final List<Launch> launches = new ArrayList<>();
  private final AtomicBoolean closed = new AtomicBoolean();

  private record Launch(CudaFunction function, LaunchShape shape, MemorySegment arguments) {}

  /**
   * The blocks of a run: only partitions with records, in ascending order.
   *
   * @param count blocks, 1 or more
   * @param partitions int[count], ascending
   * @param starts int[count + 1], where each block starts in the run in units of 8 bytes, and the
   *     end of the last
   * @param checksums int[count], CRC-32C of each block as {@link java.util.zip.CRC32C} gives it, or
   *     zeros where none were wanted
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over once, never compared
  public record Blocks(int count, int[] partitions, int[] starts, int[] checksums) {}

  /**
   * The memory that it works on.
   *
   * @param staging the records one behind the other, each a header of 8 bytes (u32 length, u32
   *     partition), its bytes and padding to a multiple of 8; 16-byte aligned, as long as the plan
   *     says
   * @param groupStarts u32[groups]: where record 0, 32, 64, … starts in staging, in units of 8
   *     bytes
   * @param run where the run goes; 16-byte aligned, as long as staging, in memory that is readable
   *     up to the next multiple of 16 bytes, as slabs are: its last bytes are read with those
   *     beside them
   * @param temporary of any content, 128-byte aligned, {@link RowPartitionPlan#temporaryBytes} or
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
    this.workspace = pool.take(REPORT_BYTES);
    for (RowPartitionPlan.Step step : plan.steps()) {
      if (checksums || !step.kernel().equals("crc32c")) {
        KernelStruct.RowArguments struct = arguments(step, memory, module.pe());
        MemorySegment arguments =
            arena.allocate(DeviceStruct.layout(KernelStruct.RowArguments.class));
        DeviceStruct.write(struct, arguments);
        launches.add(
            new Launch(
                module.function("symshuffle_row_" + step.kernel()),
                module.ctaShape(step.ctas()),
                arguments));
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
   * @param stream where; what fills staging and the list of group starts was queued there before
   */
  public void queue(CudaStream stream) {
    if (closed.get()) {
      throw new IllegalStateException("the partitioning of " + plan + " is closed");
    }
    stream.fill(workspace.device().slice(0, REPORT_BYTES), (byte) 0);
    for (Launch launch : launches) {
      launch.function().launch(stream, launch.shape(), launch.arguments());
    }
  }

  /**
   * Waits until the run is there and returns its blocks.
   *
   * @param stream where it was queued
   * @param limit how long to wait at most
   * @return the blocks
   * @throws TimeoutException when it is not done by then; it goes on, and must not be closed
   * @throws KernelException when staging was damaged, with the place; it can be queued again
   */
  public Blocks await(CudaStream stream, Duration limit) throws TimeoutException {
    MemorySegment report = workspace.host().asSlice(0, REPORT_BYTES);
    stream.copyOut(report, workspace.device().slice(0, REPORT_BYTES));
    stream.synchronize(limit);
    KernelStatus.read(report)
        .problem()
        .ifPresent(
            problem -> {
              throw new KernelException(problem);
            });
    int count = report.get(JAVA_INT, KernelStatus.BYTES);
    if (count < 1 || count > plan.maxBlocks()) {
      throw new KernelException(
          "the kernels found %d blocks, where 1 to %d can be: %s"
              .formatted(count, plan.maxBlocks(), plan));
    }
    RowPartitionPlan.Temporary at = plan.layout();
    try (Arena copies = Arena.ofConfined()) {
      MemorySegment partitions = copyOut(stream, copies, at.blockPartitions(), count);
      MemorySegment starts = copyOut(stream, copies, at.blockStarts(), count + 1);
      MemorySegment checksums = copyOut(stream, copies, at.blockChecksums(), count);
      stream.synchronize(limit);
      return new Blocks(
          count,
          partitions.toArray(JAVA_INT),
          starts.toArray(JAVA_INT),
          checksums.toArray(JAVA_INT));
    }
  }

  private MemorySegment copyOut(CudaStream stream, Arena arena, long offset, int numbers) {
    MemorySegment to = arena.allocate(JAVA_INT, numbers);
    stream.copyOut(to, temporary.slice(offset, to.byteSize()));
    return to;
  }

  /** {@return the plan that it follows} */
  public RowPartitionPlan plan() {
    return plan;
  }

  /** Gives its memory back, but not the caller's. */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      pool.give(workspace);
      arena.close();
    }
  }
}
