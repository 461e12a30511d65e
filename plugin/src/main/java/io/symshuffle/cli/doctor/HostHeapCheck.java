// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.cli.pe.Backend;
import java.util.List;

/** Two processes that put and get through a host heap. */
final class HostHeapCheck implements Check {
  static final Ailment BROKEN =
      new Ailment(
          "host-heap-broken",
          "Executors cannot shuffle, or read nothing in place",
          "two processes of this host cannot share memory as the heap needs it",
          "bin/symshuffle ring --pes 2 --backend shm shows where it fails; look at the findings on"
              + " shared memory, JVM options and limits first");

  @Override
  public String title() {
    return "host heap";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(BROKEN);
  }

  @Override
  public List<Finding> examine(Host host) {
    ChildOutcome outcome = host.instruments().ring(Backend.SHM, 2);
    return List.of(
        outcome.passed()
            ? Finding.ok("two processes put, signalled and got through shared memory")
            : Finding.fail(
                BROKEN,
                "a ring of two processes %s: %s".formatted(outcome.ending(), last(outcome))));
  }

  static String last(ChildOutcome outcome) {
    List<String> lines =
        outcome.output().stream().map(String::trim).filter(line -> !line.isEmpty()).toList();
    return String.join(" / ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
  }
}
