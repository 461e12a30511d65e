// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.pe.Backend;
import io.symshuffle.heap.host.HeapPlace;
import io.symshuffle.heap.host.MemoryLimits;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.Settings;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The host heap and what it needs: shared memory, local disk, memory, and limits of the shell. */
final class MemoryChecks {
  private static final long MIN_SHARED_BYTES = 256L << 20;
  private static final long MIN_DISK_BYTES = 10L << 30;
  private static final long MIN_MEMORY_BYTES = 1L << 30;
  private static final long MIN_OPEN_FILES = 4096;
  private static final Pattern LIMIT = Pattern.compile("(Max [a-z ]+?) {2,}(\\S+) +(\\S+).*");

  private static final KnownProblem FOLDER_UNUSABLE = KnownProblem.named("heap-folder-unusable");
  private static final KnownProblem SHARED_MEMORY_SMALL = KnownProblem.named("shared-memory-small");
  private static final KnownProblem HEAP_ON_DISK = KnownProblem.named("heap-on-disk");
  private static final KnownProblem ENCRYPTED_HEAP_ON_DISK =
      KnownProblem.named("encrypted-heap-on-disk");
  private static final KnownProblem DISK_UNUSABLE = KnownProblem.named("disk-folder-unusable");
  private static final KnownProblem DISK_NEARLY_FULL = KnownProblem.named("disk-nearly-full");
  private static final KnownProblem DISK_IS_MEMORY = KnownProblem.named("disk-is-memory");
  private static final KnownProblem HEAP_TOO_LARGE = KnownProblem.named("heap-larger-than-memory");
  private static final KnownProblem MEMORY_SCARCE = KnownProblem.named("memory-scarce");
  private static final KnownProblem STRICT_OVERCOMMIT = KnownProblem.named("strict-overcommit");
  private static final KnownProblem FEW_OPEN_FILES = KnownProblem.named("few-open-files");
  private static final KnownProblem ADDRESS_SPACE_LIMITED =
      KnownProblem.named("address-space-limited");
  private static final KnownProblem HOST_HEAP_BROKEN = KnownProblem.named("host-heap-broken");
  private static final KnownProblem MACHINE_BUSY = KnownProblem.named("machine-busy");

  /** A test that does not end in time proves nothing if so many threads wait for each core. */
  private static final int BUSY_THREADS_PER_CORE = 4;

  /** Whether executors of this host can read each other's heaps in place. */
  static final Check HOST_HEAP =
      new Check("host heap", List.of(HOST_HEAP_BROKEN, MACHINE_BUSY), MemoryChecks::hostHeap);

  static final List<Check> ALL =
      List.of(
          new Check(
              "shared memory",
              List.of(FOLDER_UNUSABLE, SHARED_MEMORY_SMALL, HEAP_ON_DISK, ENCRYPTED_HEAP_ON_DISK),
              MemoryChecks::sharedMemory),
          new Check(
              "local disk",
              List.of(DISK_UNUSABLE, DISK_NEARLY_FULL, DISK_IS_MEMORY),
              MemoryChecks::disk),
          new Check(
              "memory",
              List.of(HEAP_TOO_LARGE, MEMORY_SCARCE, STRICT_OVERCOMMIT),
              MemoryChecks::memory),
          new Check("limits", List.of(FEW_OPEN_FILES, ADDRESS_SPACE_LIMITED), MemoryChecks::limits),
          HOST_HEAP);

  private MemoryChecks() {}

  private static List<Finding> sharedMemory(Host host) {
    Path folder = host.heapFolder();
    HeapPlace place = host.probe().place(folder, Settings.HEAP_DIR.key());
    if (place.fault().isPresent()) {
      return List.of(Finding.warn(FOLDER_UNUSABLE, place.fault().get()));
    }
    Optional<String> mount = mount(host, folder);
    String free =
        place.usableBytes() == Long.MAX_VALUE
            ? "has no size limit"
            : "has " + ByteSize.text(place.usableBytes()) + " free";
    String found = "%s %s%s".formatted(folder, free, mount.map(m -> " (" + m + ")").orElse(""));
    if (!place.memoryBacked()) {
      return List.of(
          host.isTrue("spark.io.encryption.enabled")
              ? Finding.fail(ENCRYPTED_HEAP_ON_DISK, found)
              : Finding.warn(HEAP_ON_DISK, found));
    }
    OptionalLong wanted = host.heapBytes();
    if (place.usableBytes() < Math.max(MIN_SHARED_BYTES, wanted.orElse(0))) {
      return List.of(Finding.warn(SHARED_MEMORY_SMALL, found + maxHeap(wanted)));
    }
    return List.of(Finding.ok(found));
  }

  private static String maxHeap(OptionalLong bytes) {
    return bytes.isPresent() ? ", and one heap may use " + ByteSize.text(bytes.getAsLong()) : "";
  }

  /** The type and the options of the mount of a folder; the kernel lists the uppermost last. */
  private static Optional<String> mount(Host host, Path folder) {
    return host.lines("proc/self/mountinfo").stream()
        .map(line -> line.split(" ", -1))
        .filter(fields -> fields.length > 6 && folder.startsWith(fields[4]))
        .reduce((lower, upper) -> upper[4].length() < lower[4].length() ? lower : upper)
        .map(
            fields -> {
              int dash = Arrays.asList(fields).indexOf("-");
              String type = dash > 0 && dash + 1 < fields.length ? fields[dash + 1] : "?";
              return type + " " + fields[5];
            });
  }

  private static List<Finding> disk(Host host) {
    List<Finding> findings = new ArrayList<>();
    List<String> faults = new ArrayList<>();
    for (Path folder : host.localFolders()) {
      // Spark creates folders that do not exist.
      HeapPlace place = host.probe().place(host.existing(folder), host.localFoldersKey());
      place.fault().ifPresentOrElse(faults::add, () -> findings.add(diskFinding(folder, place)));
    }
    if (findings.isEmpty()) {
      return List.of(Finding.fail(DISK_UNUSABLE, String.join("; ", faults)));
    }
    Optional<HeapPlace> own =
        host.diskFolder().map(folder -> host.probe().place(folder, Settings.DISK_DIR.key()));
    if (own.isPresent() && own.get().fault().isEmpty()) {
      return List.of(diskFinding(own.get().base(), own.get()));
    }
    own.flatMap(HeapPlace::fault).ifPresent(faults::add);
    faults.forEach(fault -> findings.add(Finding.warn(DISK_UNUSABLE, fault)));
    return findings;
  }

  private static Finding diskFinding(Path folder, HeapPlace place) {
    String found = "%s has %s free".formatted(folder, ByteSize.text(place.usableBytes()));
    if (place.memoryBacked()) {
      return Finding.warn(DISK_IS_MEMORY, found + " and is in memory");
    }
    return place.usableBytes() < MIN_DISK_BYTES
        ? Finding.warn(DISK_NEARLY_FULL, found)
        : Finding.ok(found);
  }

  private static List<Finding> memory(Host host) {
    MemoryLimits memory = host.probe().memory();
    if (memory.bytes() == Long.MAX_VALUE) {
      return List.of(Finding.skip("The kernel does not report how much memory is available"));
    }
    String found =
        ByteSize.text(memory.bytes())
            + " available"
            + (memory.cgroupBytes().isPresent()
                ? ", the cgroup limit is " + ByteSize.text(memory.cgroupBytes().getAsLong())
                : "");
    OptionalLong wanted = host.heapBytes();
    if (wanted.isPresent() && wanted.getAsLong() > memory.bytes()) {
      return List.of(Finding.fail(HEAP_TOO_LARGE, found + maxHeap(wanted)));
    }
    if (host.lines("proc/sys/vm/overcommit_memory").stream().anyMatch("2"::equals)) {
      return List.of(Finding.warn(STRICT_OVERCOMMIT, found + ", vm.overcommit_memory is 2"));
    }
    return List.of(
        memory.bytes() < MIN_MEMORY_BYTES ? Finding.warn(MEMORY_SCARCE, found) : Finding.ok(found));
  }

  private static List<Finding> limits(Host host) {
    List<String> limits = host.lines("proc/self/limits");
    if (limits.isEmpty()) {
      return List.of(Finding.skip("/proc/self/limits cannot be read"));
    }
    List<Finding> findings = new ArrayList<>();
    // The JVM raises its own soft limit, so the hard limit counts.
    OptionalLong files = limit(limits, "Max open files", 3);
    if (files.isPresent() && files.getAsLong() < MIN_OPEN_FILES) {
      findings.add(Finding.warn(FEW_OPEN_FILES, "At most " + files.getAsLong() + " open files"));
    }
    OptionalLong space = limit(limits, "Max address space", 2);
    if (space.isPresent()) {
      findings.add(
          Finding.warn(
              ADDRESS_SPACE_LIMITED,
              "At most " + ByteSize.text(space.getAsLong()) + " address space"));
    }
    return Finding.orOk(
        findings,
        "%s open files, unlimited address space"
            .formatted(files.isPresent() ? Long.toString(files.getAsLong()) : "Unlimited"));
  }

  /** A limit in column 2 (soft) or 3 (hard); empty if it is unlimited or not listed. */
  private static OptionalLong limit(List<String> limits, String name, int column) {
    return limits.stream()
        .map(LIMIT::matcher)
        .filter(match -> match.matches() && match.group(1).equals(name))
        .map((Matcher match) -> match.group(column))
        .filter(value -> value.matches("\\d{1,18}"))
        .mapToLong(Long::parseLong)
        .findFirst();
  }

  private static List<Finding> hostHeap(Host host) {
    Path folder = host.usedHeapFolder();
    ChildProcess.Result outcome = host.probe().ring(Backend.SHM, 2, folder);
    if (outcome.passed()) {
      return List.of(Finding.ok("Two processes exchanged data through " + folder));
    }
    String failure = failedRing("2 PEs in " + folder, outcome);
    boolean late = outcome.timedOut() || outcome.output().contains("did not finish within");
    return List.of(
        late && isBusy(host)
            ? Finding.warn(MACHINE_BUSY, failure)
            : Finding.fail(HOST_HEAP_BROKEN, failure));
  }

  private static boolean isBusy(Host host) {
    int cores = Runtime.getRuntime().availableProcessors();
    return host.lines("proc/loadavg").stream()
        .anyMatch(
            line -> Double.parseDouble(line.split(" ", 2)[0]) > BUSY_THREADS_PER_CORE * cores);
  }

  /**
   * Returns how a ring failed, with the end of its output.
   *
   * @param pes how many PEs it had, for example "2 PEs"
   */
  static String failedRing(String pes, ChildProcess.Result outcome) {
    List<String> lines =
        outcome.lines().stream().map(String::trim).filter(line -> !line.isEmpty()).toList();
    String end = String.join(" / ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
    return "A ring of %s %s%s".formatted(pes, outcome.ending(), end.isEmpty() ? "" : ": " + end);
  }
}
