// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import io.symshuffle.heap.ChunkGrid;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.folder.HeapFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The place of a PE's heap and the length of its window.
 *
 * @param base folder to open the {@link HeapFolder} under
 * @param bytes length of the window
 * @param memoryBacked whether it is shared memory; false for a file on disk in the page cache
 * @param warning one sentence for the user; empty when there is no problem
 */
public record HeapSizing(Path base, long bytes, boolean memoryBacked, Optional<String> warning) {
  /** Minimum length of a window: two or three tasks' staging buffers. */
  static final long MINIMUM_BYTES = 64L << 20;

  private static final long GRANULE = ChunkGrid.CHUNK_BYTES;

  /** File systems on which {@link io.symshuffle.ffi.NativeFile#overwriteInPlace} has no effect. */
  private static final Set<String> COPY_ON_WRITE = Set.of("zfs", "bcachefs");

  private static final String REMEDY =
      "give the container more shared memory (docker run --shm-size=8g; in Kubernetes an emptyDir"
          + " with medium: Memory, mounted at /dev/shm) or set spark.symshuffle.heap.dir to a"
          + " larger tmpfs";

  /**
   * Inspects this host and decides.
   *
   * @param base where the heap should go, for example /dev/shm
   * @param diskBases folders on local disks, the fallbacks when {@code base} has too little space
   * @param requestedBytes length of each window; empty to compute it
   * @param peCount number of PEs that share this host, 1 or more
   * @param ownContainer whether this process has its own container
   * @param pinnedBytes how much memory this process may pin, in bytes
   * @throws HeapException when none has enough space
   */
  public static HeapSizing probe(
      Path base,
      List<Path> diskBases,
      OptionalLong requestedBytes,
      int peCount,
      boolean ownContainer,
      long pinnedBytes) {
    MemoryLimits memory = MemoryLimits.probe();
    int sharers = ownContainer ? sharers(HeapPlace.totalBytes(base), memory, peCount) : peCount;
    HeapSizing decided =
        decide(
            HeapPlace.probe(base, HeapFolder.HEAP_SETTING),
            diskBases.stream().map(disk -> HeapPlace.probe(disk, HeapFolder.DISK_SETTING)).toList(),
            memory,
            MemoryLimits.jvmBytes(Runtime.getRuntime().maxMemory()) + pinnedBytes,
            requestedBytes,
            sharers);
    return decided.on(HeapPlace.fileSystem(decided.base));
  }

  /**
   * Returns how many PEs share the memory of a process that has its own container. A volume in
   * memory that only its container mounts is at most as large as the container's limit. The
   * /dev/shm of a machine, which others may mount, too, usually has half of the machine's memory.
   *
   * @param totalBytes size of the file system of the heap's folder; 0 if unknown
   */
  static int sharers(long totalBytes, MemoryLimits memory, int peCount) {
    boolean own = totalBytes > 0 && totalBytes <= memory.cgroupBytes().orElse(0);
    return own ? 1 : peCount;
  }

  /** Adds a warning if the heap is on a file system that may need space to overwrite a page. */
  HeapSizing on(String fileSystem) {
    if (!COPY_ON_WRITE.contains(fileSystem)) {
      return this;
    }
    String hazard =
        "The heap in %s is on %s, which needs free space even to overwrite data: executors die when it is full. Set %s to a tmpfs."
            .formatted(base, fileSystem, HeapFolder.HEAP_SETTING);
    return new HeapSizing(
        base, bytes, memoryBacked, Optional.of(warning.map(w -> w + " ").orElse("") + hazard));
  }

  /**
   * Decides from numbers alone.
   *
   * <p>A requested length is used as it is: memory is reserved chunk by chunk, and runs that do not
   * fit go to disk. Otherwise a window gets its PE's share of 80% of the free space, but at most
   * its share of half of the available memory, since the executors need the rest. It also gets at
   * most the part of the control group's limit that this process leaves. On disk the same limits
   * apply (but at least the minimum), since a file that does not stay in the page cache is no
   * better than the DISK tier. The length is rounded down to 2 MiB.
   *
   * <p>The PEs of a host may share a control group, or each may have its own. They are assumed to
   * share it if all of them fit.
   *
   * @param disks the fallbacks when {@code preferred} cannot be used or has less than 64 MiB per
   *     PE, or with a requested length less than 64 MiB (or than requested, if that is smaller).
   *     The first one with so much space is used, not the one with the most, so that the PEs of a
   *     host choose the same
   * @param ownBytes how much memory this process may use besides the heap: its JVM, and what it
   *     pins
   * @param requestedBytes length of each window; empty to compute it
   * @param peCount number of PEs that share this host, 1 or more
   * @throws HeapException when none has enough space
   */
  public static HeapSizing decide(
      HeapPlace preferred,
      List<HeapPlace> disks,
      MemoryLimits memory,
      long ownBytes,
      OptionalLong requestedBytes,
      int peCount) {
    if (peCount < 1) {
      throw new IllegalArgumentException("cannot size a heap for " + peCount + " PEs");
    }
    if (requestedBytes.isPresent() && requestedBytes.getAsLong() <= 0) {
      throw new IllegalArgumentException(
          "a window cannot have " + requestedBytes.getAsLong() + " bytes");
    }
    long needed = Math.min(MINIMUM_BYTES, requestedBytes.orElse(MINIMUM_BYTES));
    // A PE alone in its pod is told of others, too, which do not use this space.
    int sharers = requestedBytes.isPresent() ? 1 : peCount;
    long ofMemory = ofMemory(memory, ownBytes, peCount);
    long share = share(preferred, ofMemory, requestedBytes, peCount);
    if (share >= needed && hasSpace(preferred, needed, sharers)) {
      return new HeapSizing(preferred.base(), share, preferred.memoryBacked(), Optional.empty());
    }
    String reason =
        preferred.fault().orElseGet(() -> shortage(preferred, memory, ofMemory, needed, sharers));
    for (HeapPlace disk : disks) {
      long diskShare = share(disk, ofMemory, requestedBytes, peCount);
      if (diskShare >= needed && hasSpace(disk, needed, sharers)) {
        return new HeapSizing(
            disk.base(),
            diskShare,
            disk.memoryBacked(),
            Optional.of(
                "The heap is in %s instead of %s, which is slower: %s."
                    .formatted(disk.base(), preferred.base(), reason)));
      }
    }
    String faults =
        disks.stream()
            .map(
                disk ->
                    disk.fault().orElseGet(() -> shortage(disk, memory, ofMemory, needed, sharers)))
            .collect(Collectors.joining("; "));
    throw new HeapException(
        "no space for the heap: %s; the fallback fails too: %s".formatted(reason, faults));
  }

  private static boolean hasSpace(HeapPlace place, long needed, int sharers) {
    return place.fault().isEmpty() && place.usableBytes() / sharers >= needed;
  }

  /** The memory that one PE's window may use. */
  private static long ofMemory(MemoryLimits memory, long ownBytes, int peCount) {
    long ofHost = memory.availableBytes().orElse(Long.MAX_VALUE) / 2 / peCount;
    if (memory.cgroupBytes().isEmpty()) {
      return ofHost;
    }
    long limit = memory.cgroupBytes().getAsLong();
    long fitting = limit / (ownBytes + MINIMUM_BYTES);
    long share = limit / Math.clamp(fitting, 1, peCount);
    return Math.min(ofHost, Math.min(share / 2, Math.max(0, share - ownBytes)));
  }

  private static long share(
      HeapPlace place, long ofMemory, OptionalLong requestedBytes, int peCount) {
    if (requestedBytes.isPresent()) {
      return requestedBytes.getAsLong();
    }
    long ofSpace = place.usableBytes() / 5 * 4 / peCount;
    long cap = place.memoryBacked() ? ofMemory : Math.max(ofMemory, MINIMUM_BYTES);
    return Math.min(ofSpace, cap) / GRANULE * GRANULE;
  }

  private static String shortage(
      HeapPlace place, MemoryLimits memory, long ofMemory, long needed, int sharers) {
    if (place.memoryBacked() && ofMemory < needed && memory.cgroupBytes().isPresent()) {
      return ("a heap needs at least %d MiB, but the executor's own memory leaves only %d MiB of"
              + " the container's limit of %d MiB: raise spark.executor.memoryOverhead by the size"
              + " of the heap")
          .formatted(needed >> 20, ofMemory >> 20, memory.cgroupBytes().getAsLong() >> 20);
    }
    return "%s needs at least %d MiB, but %s has %d MiB free, with %s MiB of memory available: %s"
        .formatted(
            sharers == 1 ? "a heap" : "the heap of each of " + sharers + " PEs",
            needed >> 20,
            place.base(),
            place.usableBytes() >> 20,
            memory.bytes() == Long.MAX_VALUE ? "unknown" : Long.toString(memory.bytes() >> 20),
            place.memoryBacked() ? REMEDY : "free some space or choose another folder");
  }
}
