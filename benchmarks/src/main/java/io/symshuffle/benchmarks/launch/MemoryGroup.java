// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.heap.host.CgroupMemory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A control group of Linux below that of this process, like that of a container: the kernel counts
 * the memory of the processes in it and kills one when the limit is reached. Starts without a
 * limit. Used by one thread.
 */
public final class MemoryGroup implements AutoCloseable {
  private static final Duration TIME_TO_END = Duration.ofSeconds(10);
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final AtomicInteger CREATED = new AtomicInteger();

  private final CgroupMemory memory;

  private MemoryGroup(CgroupMemory memory) {
    this.memory = memory;
  }

  /**
   * Creates a group.
   *
   * @return empty if that is not possible: it takes root, and in version 2 a parent that delegates
   *     the memory controller
   */
  public static Optional<MemoryGroup> create() {
    String name =
        "symshuffle-%d-%d".formatted(ProcessHandle.current().pid(), CREATED.incrementAndGet());
    for (CgroupMemory parent : CgroupMemory.ofProcess()) {
      Path folder = parent.folder().resolve(name);
      try {
        Files.createDirectory(folder);
        CgroupMemory memory = new CgroupMemory(folder, parent.version());
        if (Files.exists(memory.limitFile())) {
          return Optional.of(new MemoryGroup(memory));
        }
        Files.delete(folder);
      } catch (IOException e) {
        // Not permitted here; perhaps the parent allows it.
      }
    }
    return Optional.empty();
  }

  /** Returns a command that runs another one, with all its child processes, in the group. */
  public List<String> command(List<String> command) {
    List<String> all = new ArrayList<>();
    all.addAll(List.of("sh", "-c", "echo $$ > \"$0\" && exec \"$@\""));
    all.add(memory.folder().resolve("cgroup.procs").toString());
    all.addAll(command);
    return all;
  }

  /** The folder of the group. */
  public Path folder() {
    return memory.folder();
  }

  /** Returns the charged bytes without file pages, which the kernel reclaims; 0 if unknown. */
  public long usedBytes() {
    return Math.max(0, memory.usage().orElse(0) - memory.filePages());
  }

  /**
   * Sets the limit.
   *
   * @param bytes {@link Long#MAX_VALUE} for none
   */
  public void limit(long bytes) throws IOException {
    String none = memory.version() == 1 ? "-1" : "max";
    Files.writeString(memory.limitFile(), bytes == Long.MAX_VALUE ? none : Long.toString(bytes));
  }

  /** Returns the number of processes that the kernel has killed because of the limit. */
  public long kills() throws IOException {
    Path file = folder().resolve(memory.version() == 1 ? "memory.oom_control" : "memory.events");
    return Files.readAllLines(file, StandardCharsets.UTF_8).stream()
        .filter(line -> line.startsWith("oom_kill "))
        .mapToLong(line -> Long.parseLong(line.substring("oom_kill ".length())))
        .sum();
  }

  /**
   * Removes the group after its processes have ended.
   *
   * @throws IOException if some do not end within 10 s
   */
  @Override
  public void close() throws IOException {
    long deadline = System.nanoTime() + TIME_TO_END.toNanos();
    while (true) {
      try {
        Files.deleteIfExists(folder());
        return;
      } catch (IOException e) {
        if (System.nanoTime() > deadline) {
          throw new IOException("processes in %s do not end".formatted(folder()), e);
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }
}
