// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The limits that mapping the heaps of other PEs may reach. Each file of a heap that is mapped
 * takes one file descriptor and one mapping, until the heap is removed; a heap of GPU memory takes
 * one descriptor for each chunk.
 *
 * @param maxFiles maximum number of open files (RLIMIT_NOFILE); empty for no limit
 * @param files open files now
 * @param maxMappings maximum number of mappings (vm.max_map_count); empty if unknown
 * @param mappings mappings now
 */
public record ProcessLimits(
    OptionalLong maxFiles, long files, OptionalLong maxMappings, long mappings) {
  /** Left for Spark's connections and files. */
  private static final int OTHER_FILES = 256;

  /** Left for the JVM's threads and libraries. */
  private static final int OTHER_MAPPINGS = 4096;

  /** The JVM raises its limit before this class is used, and nobody changes it afterwards. */
  private static final OptionalLong MAX_FILES = probe().maxFiles;

  /** Returns the limits of this process and what it uses at this moment. */
  public static ProcessLimits probe() {
    Path proc = Path.of("/proc");
    return new ProcessLimits(
        CgroupMemory.lines(proc.resolve("self/limits")).stream()
            .filter(line -> line.startsWith("Max open files"))
            .map(line -> line.split(" +", -1)[3])
            .filter(limit -> limit.matches("[0-9]{1,18}"))
            .mapToLong(Long::parseLong)
            .findFirst(),
        entries(proc.resolve("self/fd")),
        CgroupMemory.lines(proc.resolve("sys/vm/max_map_count")).stream()
            .mapToLong(line -> Long.parseLong(line.trim()))
            .findFirst(),
        CgroupMemory.lines(proc.resolve("self/maps")).size());
  }

  /**
   * Checks that the heaps of other PEs can be mapped, and all chunks of their and this PE's heap of
   * GPU memory.
   *
   * @param filesOfPe files of the heap of each PE
   * @param chunks maximum number of chunks of each PE; 0 without heaps of GPU memory
   * @return what is short, in one or two sentences with the remedy; empty if nothing is
   */
  public Optional<String> shortage(int peers, int filesOfPe, long chunks) {
    List<String> sentences = new ArrayList<>();
    long mapped = (long) peers * filesOfPe;
    long needed = mapped + (peers + 1L) * chunks;
    if (maxFiles.orElse(Long.MAX_VALUE) < files + needed + OTHER_FILES) {
      sentences.add(
          ("This executor may open %d files and has %d open, which is too few to map the heaps of"
                  + " %d other executors: run ulimit -n 65536 before the worker starts, or set"
                  + " LimitNOFILE=65536 in its service.")
              .formatted(maxFiles.getAsLong(), files, peers));
    }
    if (maxMappings.orElse(Long.MAX_VALUE) < mappings + mapped + OTHER_MAPPINGS) {
      sentences.add(
          ("This executor may have %d memory mappings and has %d, which is too few to map the heaps"
                  + " of %d other executors: run sysctl vm.max_map_count=262144.")
              .formatted(maxMappings.getAsLong(), mappings, peers));
    }
    return sentences.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", sentences));
  }

  /**
   * Returns whether enough descriptors are left for Spark's connections and files.
   *
   * @param descriptor the descriptor that was opened last; the system gives out the lowest free
   *     number, so all below it are in use
   * @return false if fewer than 256 are left
   */
  public static boolean leavesRoom(int descriptor) {
    return descriptor < MAX_FILES.orElse(Long.MAX_VALUE) - OTHER_FILES;
  }

  private static long entries(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.count();
    } catch (IOException e) {
      return 0;
    }
  }
}
