// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import io.symshuffle.cli.ExpertSettings;
import io.symshuffle.cli.Recommendation;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.GpuShare;
import io.symshuffle.plugin.config.RapidsMemory;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.plugin.rapids.RapidsChoice;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How the memory of a GPU is divided, and what follows from that. Sizes are in bytes, and {@code
 * heap + cuda + reserve + pool} is the memory of the GPU. The rules are estimates that were not
 * measured on small GPUs.
 *
 * @param total the memory of the GPU
 * @param share the device heap as a share of it
 * @param cuda what the driver and kernels take
 * @param pool the memory pool of RAPIDS, which is what is left
 * @param tasks tasks that use the GPU at a time
 */
record GpuPlan(
    long total,
    GpuShare share,
    long heap,
    long cuda,
    long reserve,
    long pool,
    int tasks,
    int partitions) {
  /** Below this RAPIDS has no room for the batches of one task beside the heap. */
  static final long MIN_BYTES = 8L << 30;

  static final long MAX_BYTES = 1L << 40;

  private static final long GIB = 1L << 30;

  /** The context of a process, the kernels of cuDF and ours. */
  private static final long CUDA_BYTES = GIB;

  /** From here on a heap of the default share leaves RAPIDS enough. */
  private static final long LARGE_BYTES = 32 * GIB;

  private static final GpuShare SMALL_SHARE = GpuShare.fraction(0.25);

  /** A few batches of 1 GiB, the default of RAPIDS, and what operators make of them. */
  private static final long BYTES_OF_TASK = 5 * GIB;

  /** Of what a task has of the pool, for the partition that it reads and what it makes of it. */
  private static final int PARTS_OF_TASK = 4;

  /**
   * Divides the memory of the GPUs of a cluster.
   *
   * @param needed bytes that the largest query shuffles; empty if unknown
   * @return the plan; empty if tables do not stay on GPUs, or the memory is unknown
   */
  static Optional<GpuPlan> of(Layout layout, OptionalLong needed) {
    long total = layout.machine().gpuBytes();
    if (total == 0 || !layout.hasDeviceHeaps()) {
      return Optional.empty();
    }
    GpuShare share = total < LARGE_BYTES ? SMALL_SHARE : Settings.DEVICE_HEAP_SIZE.defaultValue();
    long heap = share.of(total);
    long reserve = RapidsMemory.DEFAULT_RESERVE;
    long pool = total - heap - CUDA_BYTES - reserve;
    int tasks = Math.clamp(pool / BYTES_OF_TASK, 1, ExpertSettings.MAX_GPU_TASKS);
    int usual = RapidsChoice.partitions(layout.total()).orElse(RapidsChoice.DEFAULT_PARTITIONS);
    long most = pool / tasks / PARTS_OF_TASK;
    long fitting = needed.isPresent() ? Math.ceilDiv(needed.getAsLong(), most) : 0;
    int everyTask = 2 * tasks * layout.total();
    return Optional.of(
        new GpuPlan(
            total,
            share,
            heap,
            CUDA_BYTES,
            reserve,
            pool,
            tasks,
            Math.clamp(fitting, Math.max(usual, everyTask), Integer.MAX_VALUE)));
  }

  Recommendation setting() {
    return new Recommendation(
        Settings.DEVICE_HEAP_SIZE.key(),
        share.toString(),
        "%s of each GPU for map outputs; what does not fit goes to the symmetric heap. RAPIDS takes its pool from what is free after that, about %s: leave spark.rapids.memory.gpu.allocFraction at its default of 1"
            .formatted(ByteSize.text(heap), ByteSize.text(pool)));
  }

  /** Returns the sum as a table, one line per part. */
  List<String> lines() {
    return List.of(
        line(total, "memory of a GPU"),
        "  " + line(heap, "device heap, for map outputs"),
        "  " + line(cuda, "CUDA's context and kernels"),
        "  " + line(reserve, "what RAPIDS keeps free"),
        "  "
            + line(
                pool,
                tasks == 1
                    ? "pool of RAPIDS, for one task at a time"
                    : "pool of RAPIDS, for %d tasks at a time".formatted(tasks)));
  }

  private static String line(long bytes, String what) {
    return String.format(Locale.ROOT, "%10s  %s", ByteSize.text(bytes), what);
  }
}
