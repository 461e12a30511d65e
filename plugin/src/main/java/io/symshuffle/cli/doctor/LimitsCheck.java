// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the shell allows: open files, locked memory, address space. */
final class LimitsCheck implements Check {
  private static final Pattern LINE = Pattern.compile("(Max [a-z ]+?) {2,}(\\S+) +(\\S+).*");
  private static final long FILES = 4096;

  static final Ailment FEW_FILES =
      new Ailment(
          "few-open-files",
          "Too many open files, when there are many executors or many runs on disk",
          "the limit on open files is low",
          "ulimit -n 65536 before the worker starts, or LimitNOFILE=65536 in its service");
  static final Ailment ADDRESS_SPACE =
      new Ailment(
          "address-space-limited",
          "Mapping a heap fails with ENOMEM although memory is free; NVSHMEM gives out no memory",
          "the limit on address space is lower than the heaps of all PEs together, which every PE"
              + " maps",
          "ulimit -v unlimited before the worker starts");
  static final Ailment LOCKED =
      new Ailment(
          "locked-memory",
          "Registering memory with InfiniBand fails; within one host nothing",
          "the limit on locked memory is low",
          "ulimit -l unlimited, or LimitMEMLOCK=infinity in the worker's service");

  @Override
  public String title() {
    return "limits";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(FEW_FILES, ADDRESS_SPACE, LOCKED);
  }

  @Override
  public List<Finding> examine(Host host) {
    List<String> limits = host.lines("proc/self/limits");
    if (limits.isEmpty()) {
      return List.of(Finding.skip("/proc/self/limits cannot be read"));
    }
    List<Finding> findings = new ArrayList<>();
    // Java raises the soft limit of its own process, so the hard one counts.
    OptionalLong files = hard(limits, "Max open files");
    if (files.isPresent() && files.getAsLong() < FILES) {
      findings.add(Finding.warn(FEW_FILES, files.getAsLong() + " open files"));
    }
    OptionalLong space = soft(limits, "Max address space");
    if (space.isPresent()) {
      findings.add(
          Finding.warn(ADDRESS_SPACE, "address space of " + Expectation.gib(space.getAsLong())));
    }
    OptionalLong locked = soft(limits, "Max locked memory");
    boolean infiniBand = !Host.list(host.path("sys/class/infiniband"), "*").isEmpty();
    if (infiniBand && locked.isPresent()) {
      findings.add(Finding.warn(LOCKED, (locked.getAsLong() >> 10) + " KiB of locked memory"));
    }
    return findings.isEmpty()
        ? List.of(
            Finding.ok(
                "%s open files, address space unlimited"
                    .formatted(files.isPresent() ? Long.toString(files.getAsLong()) : "unlimited")))
        : findings;
  }

  private static OptionalLong soft(List<String> limits, String name) {
    return limit(limits, name, 2);
  }

  private static OptionalLong hard(List<String> limits, String name) {
    return limit(limits, name, 3);
  }

  private static OptionalLong limit(List<String> limits, String name, int group) {
    return limits.stream()
        .map(LINE::matcher)
        .filter(match -> match.matches() && match.group(1).equals(name))
        .map((Matcher match) -> match.group(group))
        .filter(value -> value.matches("\\d{1,18}"))
        .mapToLong(Long::parseLong)
        .findFirst();
  }
}
