// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.heap.SlabBacking;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A backing that stops growing before the memory limit of the control group is reached, since the
 * kernel would then kill a process. Runs that do not fit into the heap go to disk instead.
 *
 * <p>It leaves room for what this JVM may still allocate. File pages do not count, since the kernel
 * reclaims them. Other processes of the group are not known, so each measurement allows it to grow
 * by a quarter of the room only. Measuring reads a few small files and is done at most every 5 ms.
 *
 * <p>Thread-safe.
 */
final class LimitedBacking implements SlabBacking {
  private static final Logger LOG = LoggerFactory.getLogger(LimitedBacking.class);

  /** A measurement is valid for this long. */
  private static final long VALID_NANOS = 100_000_000;

  /** A measurement that allows too little is repeated after this time. */
  private static final long REPEAT_NANOS = 5_000_000;

  private final SlabBacking backing;
  private final List<CgroupMemory> groups;
  private final Path proc;
  private final long jvmBytes;
  private final LongSupplier nanoClock;
  private volatile LongSupplier otherBytes = () -> 0;

  @GuardedBy("this")
  private long measuredAt;

  @GuardedBy("this")
  private long left;

  @GuardedBy("this")
  private boolean warned;

  /**
   * @param proc the path of /proc
   * @param cgroups the path of /sys/fs/cgroup
   * @param jvmBytes how much memory this JVM may use besides the heap
   */
  LimitedBacking(
      SlabBacking backing, Path proc, Path cgroups, long jvmBytes, LongSupplier nanoClock) {
    this.backing = backing;
    this.groups = CgroupMemory.ofProcess(proc, cgroups);
    this.proc = proc;
    this.jvmBytes = jvmBytes;
    this.nanoClock = nanoClock;
    this.measuredAt = nanoClock.getAsLong() - VALID_NANOS;
  }

  /** Limits a backing by the control groups of this process. */
  static LimitedBacking ofProcess(SlabBacking backing) {
    return new LimitedBacking(
        backing,
        Path.of("/proc"),
        Path.of("/sys/fs/cgroup"),
        MemoryLimits.jvmBytes(Runtime.getRuntime().maxMemory()),
        System::nanoTime);
  }

  /**
   * Leaves room for memory that this process allocates outside of its JVM, too.
   *
   * @param bytes how much it may still allocate
   */
  void leaveRoom(LongSupplier bytes) {
    otherBytes = bytes;
  }

  @Override
  public boolean reserve(long offset, long bytes) {
    return mayGrow(bytes) && backing.reserve(offset, bytes);
  }

  @Override
  public void release(long offset, long bytes) {
    backing.release(offset, bytes);
  }

  private synchronized boolean mayGrow(long bytes) {
    long age = nanoClock.getAsLong() - measuredAt;
    if (age >= VALID_NANOS || (bytes > left && age >= REPEAT_NANOS)) {
      left = room() / 4;
      measuredAt = nanoClock.getAsLong();
    }
    if (bytes > left) {
      warn();
      return false;
    }
    left -= bytes;
    return true;
  }

  /**
   * The bytes that are free in all groups, less what this process may still allocate; 0 while they
   * cannot be measured.
   */
  @GuardedBy("this")
  private long room() {
    long room = Long.MAX_VALUE;
    try {
      for (CgroupMemory group : groups) {
        // Read the limit each time: Kubernetes can change it.
        room = Math.min(room, group.room().orElse(Long.MAX_VALUE));
      }
    } catch (IOException e) {
      LOG.debug("The limit on the container's memory cannot be read", e);
      return 0;
    }
    return room == Long.MAX_VALUE
        ? room
        : room
            - Math.max(0, jvmBytes - ProcessMemory.anonymousBytes(proc))
            - otherBytes.getAsLong();
  }

  @GuardedBy("this")
  private void warn() {
    if (!warned) {
      warned = true;
      LOG.warn(
          "The heap stops growing, and map outputs go to disk: the limit on the container's memory"
              + " leaves too little room for the heap and the {} MiB that this JVM may use. Raise"
              + " spark.executor.memoryOverhead, or lower spark.symshuffle.heap.size",
          (jvmBytes + otherBytes.getAsLong()) >> 20);
    }
  }
}
