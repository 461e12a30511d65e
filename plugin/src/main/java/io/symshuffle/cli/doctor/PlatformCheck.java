// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import java.util.List;

/** Operating system and processor. */
final class PlatformCheck implements Check {
  static final Ailment OTHER_SYSTEM =
      new Ailment(
          "other-system",
          "Tasks fail with: this executor cannot shuffle; the log names a call of the C library",
          "the heap is made with Linux calls (fallocate, advisory locks, /dev/shm)",
          "run on Linux, or set spark.symshuffle.enabled=false on other systems");
  static final Ailment OTHER_PROCESSOR =
      new Ailment(
          "other-processor",
          "None known; nobody has tried it",
          "SymShuffle is tested on x86-64 only",
          "run bin/symshuffle ring --pes 2 and your own queries before you rely on it");

  @Override
  public String title() {
    return "platform";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(OTHER_SYSTEM, OTHER_PROCESSOR);
  }

  @Override
  public List<Finding> examine(Host host) {
    String system = host.instruments().property("os.name");
    String processor = host.instruments().property("os.arch");
    String found =
        "%s %s, %s".formatted(system, host.instruments().property("os.version"), processor);
    if (!system.equals("Linux")) {
      return List.of(Finding.fail(OTHER_SYSTEM, found));
    }
    return List.of(
        processor.equals("amd64") ? Finding.ok(found) : Finding.warn(OTHER_PROCESSOR, found));
  }
}
