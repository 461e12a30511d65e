// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.heap.MemoryLimits;
import java.util.List;
import java.util.OptionalLong;

/** The memory that heaps may take. */
final class MemoryCheck implements Check {
  private static final long LITTLE = 1L << 30;

  static final Ailment TOO_LARGE =
      new Ailment(
          "heap-larger-than-memory",
          "Executors are killed: exit status 137, or OOMKilled in Kubernetes",
          "what is in /dev/shm counts as memory of the machine and of the container, on top of the"
              + " executor's own",
          "lower spark.symshuffle.heap.size, or raise spark.executor.memoryOverhead by its value so"
              + " that the container is large enough");
  static final Ailment SCARCE =
      new Ailment(
          "memory-scarce",
          "The heap is small and most bytes are in the DISK tier",
          "little memory is left, and with heap.size=auto the PEs take half of what is left",
          "lower spark.executor.memory, or run fewer executors on the host");
  static final Ailment OVERCOMMIT =
      new Ailment(
          "strict-overcommit",
          "Mapping a heap fails with ENOMEM although memory is free",
          "vm.overcommit_memory is 2: the kernel counts every mapping as if it were used in full",
          "sysctl vm.overcommit_memory=0, or lower spark.symshuffle.heap.size");

  @Override
  public String title() {
    return "memory";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(TOO_LARGE, SCARCE, OVERCOMMIT);
  }

  @Override
  public List<Finding> examine(Host host) {
    MemoryLimits memory = host.instruments().memory();
    if (memory.bytes() == Long.MAX_VALUE) {
      return List.of(Finding.skip("the kernel does not say how much memory is left"));
    }
    String found =
        "%s left%s"
            .formatted(
                Expectation.gib(memory.bytes()),
                memory.cgroupBytes().isPresent()
                    ? ", the control group's limit is "
                        + Expectation.gib(memory.cgroupBytes().getAsLong())
                    : "");
    OptionalLong wanted = Expectation.heapBytes(host);
    if (wanted.isPresent() && wanted.getAsLong() > memory.bytes()) {
      return List.of(
          Finding.fail(
              TOO_LARGE,
              "%s, and one heap may take %s"
                  .formatted(found, Expectation.gib(wanted.getAsLong()))));
    }
    if (host.lines("proc/sys/vm/overcommit_memory").stream().anyMatch("2"::equals)) {
      return List.of(Finding.warn(OVERCOMMIT, found + ", vm.overcommit_memory is 2"));
    }
    return List.of(memory.bytes() < LITTLE ? Finding.warn(SCARCE, found) : Finding.ok(found));
  }
}
