// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.container;

import io.symshuffle.benchmarks.launch.Application;
import io.symshuffle.benchmarks.launch.MemoryGroup;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Executors of a local cluster as in containers: each starts in its own control group with a memory
 * limit, by which Kubernetes kills, if such groups can be created here; and the resident memory of
 * each is watched, by which YARN kills.
 */
final class Containers implements AutoCloseable {
  private static final int MILLIS_BETWEEN_SAMPLES = 50;
  private static final long KIB = 1024;

  private final Path java;
  private final List<MemoryGroup> groups = new ArrayList<>();
  private final Map<Long, Long> highestRss = new ConcurrentHashMap<>();
  private final Map<Long, Long> highestShared = new ConcurrentHashMap<>();
  private Thread watcher;

  /**
   * Creates a group for each executor.
   *
   * @param folder gets the folder {@code java}
   * @param bytes the limit of each group
   */
  Containers(Path folder, int executors, long bytes) throws IOException {
    this.java = Files.createDirectories(folder.resolve("java"));
    for (int i = 0; i < executors; i++) {
      Optional<MemoryGroup> group = MemoryGroup.create();
      if (group.isPresent()) {
        group.get().limit(bytes);
        groups.add(group.get());
      }
    }
    writeLauncher();
  }

  /** Writes a {@code bin/java} that enters the next group. */
  private void writeLauncher() throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("#!/bin/sh");
    for (MemoryGroup group : groups) {
      Path taken = java.resolve(group.folder().getFileName());
      lines.add(
          "if mkdir %s 2>/dev/null; then echo $$ > %s/cgroup.procs; exec %s \"$@\"; fi"
              .formatted(taken, group.folder(), realJava()));
    }
    lines.add("exec %s \"$@\"".formatted(realJava()));
    Path launcher = Files.createDirectories(java.resolve("bin")).resolve("java");
    Files.write(launcher, lines);
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static Path realJava() {
    return Path.of(System.getProperty("java.home"), "bin", "java");
  }

  /** Whether there are control groups. */
  boolean isLimited() {
    return !groups.isEmpty();
  }

  /** The settings with which executors start in the groups. */
  Map<String, String> settings() {
    return Map.of("spark.executorEnv.JAVA_HOME", java.toString());
  }

  /** Watches the executors of an application until this is closed. */
  void watch(Application application) {
    watcher =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    while (true) {
                      application.executors().forEach(this::sample);
                      TimeUnit.MILLISECONDS.sleep(MILLIS_BETWEEN_SAMPLES);
                    }
                  } catch (InterruptedException e) {
                    // Closed.
                  }
                });
  }

  /** As YARN: the sum over an executor and its child processes. */
  private void sample(ProcessHandle executor) {
    long rss =
        Stream.concat(Stream.of(executor), executor.descendants())
            .mapToLong(process -> bytes(process, "VmRSS:"))
            .sum();
    highestRss.merge(executor.pid(), rss, Math::max);
    highestShared.merge(executor.pid(), bytes(executor, "RssShmem:"), Math::max);
  }

  private static long bytes(ProcessHandle process, String field) {
    try (Stream<String> lines = Files.lines(Path.of("/proc", process.pid() + "", "status"))) {
      return lines
          .filter(line -> line.startsWith(field))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * KIB)
          .sum();
    } catch (IOException | UncheckedIOException e) {
      // It has ended.
      return 0;
    }
  }

  /** The highest resident memory of an executor and its child processes so far, in bytes. */
  long highestRss(long pid) {
    return highestRss.getOrDefault(pid, 0L);
  }

  /** The highest resident shared memory of an executor so far, in bytes. */
  long highestShared(long pid) {
    return highestShared.getOrDefault(pid, 0L);
  }

  /** The charge of each group now, without file pages, in bytes. */
  List<Long> charges() {
    return groups.stream().map(MemoryGroup::usedBytes).toList();
  }

  /** Number of processes that the kernel has killed. */
  long kills() throws IOException {
    long kills = 0;
    for (MemoryGroup group : groups) {
      kills += group.kills();
    }
    return kills;
  }

  @Override
  public void close() throws IOException {
    if (watcher != null) {
      watcher.interrupt();
    }
    for (MemoryGroup group : groups) {
      group.close();
    }
  }
}
