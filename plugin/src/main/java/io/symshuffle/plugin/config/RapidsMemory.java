// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.config;

import java.util.Optional;
import org.apache.spark.SparkConf;

/**
 * How much GPU memory RAPIDS must have at its start, or its executor plugin ends the process. From
 * {@code GpuDeviceManager} and {@code RapidsConf} of RAPIDS 26.08.
 *
 * @param allocSize {@code spark.rapids.memory.gpu.allocSize}, the size of its pool in bytes; 0: not
 *     set
 * @param minFraction {@code spark.rapids.memory.gpu.minAllocFraction}, of the GPU's memory
 * @param reserve {@code spark.rapids.memory.gpu.reserve}, bytes outside the pool
 */
public record RapidsMemory(long allocSize, double minFraction, long reserve) {
  /** RAPIDS' plugin for Spark. */
  public static final String PLUGIN = "com.nvidia.spark.SQLPlugin";

  /** The default of {@code spark.rapids.memory.gpu.reserve} in bytes. */
  public static final long DEFAULT_RESERVE = 640L << 20;

  private static final String PREFIX = "spark.rapids.memory.gpu.";

  /** Returns the settings; empty if RAPIDS is not a plugin of the application. */
  public static Optional<RapidsMemory> of(SparkConf conf) {
    return conf.get("spark.plugins", "").contains(PLUGIN)
        ? Optional.of(
            new RapidsMemory(
                conf.getSizeAsBytes(PREFIX + "allocSize", "0"),
                conf.getDouble(PREFIX + "minAllocFraction", 0.25),
                conf.getSizeAsBytes(PREFIX + "reserve", DEFAULT_RESERVE)))
        : Optional.empty();
  }

  /**
   * Compares a device heap that takes all of its memory at its start with what RAPIDS can spare.
   *
   * @return why they do not fit, a sentence without its full stop; empty if they do
   */
  public Optional<String> conflict(long heapBytes, long gpuBytes) {
    long spare = spare(gpuBytes, gpuBytes);
    return heapBytes <= spare
        ? Optional.empty()
        : Optional.of(
            "a device heap of %d MiB is more than the %d MiB that RAPIDS can spare on a GPU of %d MiB"
                .formatted(heapBytes >> 20, spare >> 20, gpuBytes >> 20));
  }

  /** Returns how many bytes others may take before RAPIDS starts, 0 or more. */
  public long spare(long freeBytes, long gpuBytes) {
    long pool = allocSize > 0 ? allocSize : (long) (minFraction * gpuBytes);
    return Math.max(0, freeBytes - pool - reserve);
  }
}
