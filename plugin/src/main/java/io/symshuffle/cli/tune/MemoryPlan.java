// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.tune;

import io.symshuffle.cli.ExpertSettings;
import io.symshuffle.heap.host.MemoryLimits;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.ClusterSettings;
import io.symshuffle.plugin.config.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * How the memory of a machine is divided. All sizes are in bytes; {@code java + jvm + peers +
 * pinned + rapids + heap} is the memory of an executor, and that of all executors and the system is
 * at most {@code total}.
 *
 * @param total the memory of the machine
 * @param system what the operating system and other processes keep
 * @param executors number of executors on the machine
 * @param jvm what else its JVM needs
 * @param peers pages of other executors' heaps that are resident while tasks read them, and the
 *     kernel's own
 * @param pinned pinned memory for copies of GPU tables; 0 if tables do not stay on GPUs
 * @param rapids pinned memory of RAPIDS; 0 without GPUs
 * @param hasLargestJavaHeap whether the Java heap is as large as is good for it
 * @param reason why the heap has this size, a sentence without its final period
 */
record MemoryPlan(
    long total,
    long system,
    int executors,
    long java,
    long jvm,
    long peers,
    long pinned,
    long rapids,
    long heap,
    boolean hasLargestJavaHeap,
    String reason) {
  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;
  private static final long MIN_JAVA_HEAP = GIB;
  private static final long GRANULE = 64 * MIB;

  /** Java heaps above 32 GiB have larger pointers. */
  private static final long MAX_JAVA_HEAP = 31 * GIB;

  /**
   * Divides the memory.
   *
   * @param needed bytes of map outputs that the whole application must hold; empty if unknown
   */
  static MemoryPlan of(Layout layout, OptionalLong needed) {
    MachineFacts machine = layout.machine();
    int executors = layout.executors();
    long most = machine.memoryForExecutors() / executors;
    long each = floor(Math.min(layout.containerBytes().orElse(most), most));
    String reason =
        "30 % of the memory that the system leaves"
            + (executors == 1 ? "" : ", divided among the executors");
    long heap = each * 3 / 10;
    if (needed.isPresent()) {
      String log =
          "largest query in the log shuffles %s".formatted(ByteSize.text(needed.getAsLong()));
      long room = (needed.getAsLong() + needed.getAsLong() / 4) / layout.total();
      if (room < heap) {
        heap = Math.max(room, 4 * GRANULE);
        reason = "The %s; the heaps of all executors hold this with 25 %% to spare".formatted(log);
      } else {
        reason += "; the %s, so the cluster would write the rest to disk".formatted(log);
      }
    }
    long peers = ClusterSettings.OTHER_PAGES_BYTES;
    long pinned = layout.hasDeviceHeaps() ? Settings.TRANSFER_PINNED.defaultValue().bytes() : 0;
    long rapids = layout.hasGpus() ? ExpertSettings.pinned(each) : 0;
    long left = each - peers - pinned - rapids;
    long maxJava = MAX_JAVA_HEAP * Math.max(1, layout.cores() / Layout.MAX_CORES);
    long java = javaHeap(left - heap, maxJava);
    if (java == maxJava && needed.isEmpty()) {
      heap = left - MemoryLimits.jvmBytes(java);
      reason = "What the Java heap leaves; a larger Java heap has longer pauses";
    }
    long shared = machine.sharedBytes() / executors / 5 * 4;
    if (machine.sharedBytes() == 0) {
      reason += "; there is no /dev/shm, so it is placed on disk, which is slower";
    } else if (heap > shared) {
      reason =
          "80 %% of the %s in /dev/shm%s. There is memory for %s: enlarge /dev/shm to %dg for that (mount -o remount,size=SIZE /dev/shm, or docker run --shm-size=SIZE)"
              .formatted(
                  ByteSize.text(machine.sharedBytes()),
                  executors == 1 ? "" : ", divided among the executors",
                  ByteSize.text(rounded(heap)),
                  Math.ceilDiv(rounded(heap) * executors / 4 * 5, GIB));
      heap = shared;
    }
    heap = Math.max(MIB, rounded(heap));
    java = javaHeap(left - heap, maxJava);
    return new MemoryPlan(
        machine.memoryBytes(),
        machine.memoryBytes() - machine.memoryForExecutors(),
        executors,
        java,
        ceil(MemoryLimits.jvmBytes(java) - java),
        peers,
        pinned,
        rapids,
        heap,
        java == maxJava,
        reason);
  }

  /** Returns the largest Java heap whose JVM fits into this many bytes. */
  private static long javaHeap(long bytes, long max) {
    long most = Math.min(bytes * 10 / 11, bytes - MemoryLimits.jvmBytes(0));
    return Math.clamp(floor(most), MIN_JAVA_HEAP, max);
  }

  /** Returns less, in a unit that is at most a few percent of it. */
  private static long rounded(long heap) {
    long unit = heap > 16 * GIB ? GIB : heap > 2 * GRANULE ? GRANULE : MIB;
    return heap / unit * unit;
  }

  private static long floor(long bytes) {
    return bytes / GRANULE * GRANULE;
  }

  private static long ceil(long bytes) {
    return Math.ceilDiv(bytes, MIB) * MIB;
  }

  /** Returns spark.executor.memoryOverhead. */
  long overhead() {
    return jvm + peers + pinned + rapids + heap;
  }

  /** Returns the memory of an executor, which is the limit of its pod or container. */
  long container() {
    return java + overhead();
  }

  /** Returns the memory of the machine that nothing uses; negative if it is too small. */
  long left() {
    return total - system - executors * container();
  }

  /** Returns the sum as a table, one line per part. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(line(total, "memory of a machine"));
    lines.add(line(system, "for the system: 10 %, at least 1 GiB, at most half"));
    lines.add(
        line(
            executors * container(),
            executors == 1
                ? "for the executor:"
                : "for %d executors, %s each:".formatted(executors, ByteSize.text(container()))));
    lines.add("  " + line(java, "Java heap"));
    lines.add("  " + line(jvm, "rest of the JVM: 10 % of its heap, at least 384 MiB"));
    lines.add("  " + line(peers, "pages of other executors' heaps, and the kernel's"));
    if (pinned > 0) {
      lines.add("  " + line(pinned, "pinned memory, for copies of GPU tables"));
    }
    if (rapids > 0) {
      lines.add(
          "  " + line(rapids, "pinned memory of RAPIDS, an eighth of the executor, at most 8 GiB"));
    }
    lines.add("  " + line(heap, "symmetric heap, for map outputs"));
    lines.add(
        line(left(), left() < 0 ? "missing: this machine is too small" : "left" + useOfRest()));
    return lines;
  }

  /** Nothing that is left is lost: the kernel keeps files in it, and shuffles on disk, too. */
  private String useOfRest() {
    return left() < total / 20 ? "" : ": the kernel caches files there";
  }

  private static String line(long bytes, String what) {
    return String.format(Locale.ROOT, "%10s  %s", ByteSize.text(bytes), what);
  }
}
