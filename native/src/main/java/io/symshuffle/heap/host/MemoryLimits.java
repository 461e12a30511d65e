// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * The memory that a heap may use, regardless of its file system's size: a tmpfs does not reserve
 * its size.
 *
 * @param availableBytes memory that the kernel can allocate without swapping (MemAvailable)
 * @param cgroupBytes the tightest memory limit on this process's control group and its parents
 */
public record MemoryLimits(OptionalLong availableBytes, OptionalLong cgroupBytes) {
  private static final long MIN_OVERHEAD_BYTES = 384L << 20;

  /** Returns the limits of this process at this moment; a limit that cannot be read is empty. */
  public static MemoryLimits probe() {
    return probe(Path.of("/proc"), Path.of("/sys/fs/cgroup"));
  }

  /** Like {@link #probe()}, with other paths for /proc and /sys/fs/cgroup. */
  static MemoryLimits probe(Path proc, Path cgroups) {
    OptionalLong available =
        CgroupMemory.lines(proc.resolve("meminfo")).stream()
            .filter(line -> line.startsWith("MemAvailable:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
            .findFirst();
    OptionalLong limit =
        CgroupMemory.ofProcess(proc, cgroups).stream()
            .flatMapToLong(group -> group.limit().stream())
            .min();
    return new MemoryLimits(available, limit);
  }

  /** Returns the smaller of the two, {@link Long#MAX_VALUE} when neither is known. */
  public long bytes() {
    return Math.min(availableBytes.orElse(Long.MAX_VALUE), cgroupBytes.orElse(Long.MAX_VALUE));
  }

  /**
   * Returns how much memory a JVM may use in total: its Java heap, and what Spark adds for
   * everything else by default (10 %, at least 384 MiB).
   *
   * @param javaHeapBytes the maximum size of the Java heap, in bytes
   */
  public static long jvmBytes(long javaHeapBytes) {
    return javaHeapBytes + Math.max(MIN_OVERHEAD_BYTES, javaHeapBytes / 10);
  }
}
