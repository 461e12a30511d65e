// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import org.junit.jupiter.api.Test;

class MachineTest {
  @Test
  void readsModelAndMemoryFromProc() {
    Machine machine =
        Machine.of(
            "processor\t: 0\nmodel name\t: A Processor 9000 @ 2.10GHz\nprocessor\t: 1\n",
            "MemTotal:       24576000 kB\nMemFree:        1 kB\n");
    assertAll(
        () -> assertEquals("A Processor 9000 @ 2.10GHz", machine.cpu()),
        () -> assertEquals(24_576_000L * 1024, machine.memoryBytes()));
  }

  @Test
  void readsTheProcessorsThatAProcessMayUse() {
    assertEquals(
        List.of(0, 1, 2, 8), Machine.cpus("Cpus_allowed:\t107\nCpus_allowed_list:\t0-2,8\n"));
    assertFalse(Machine.cpus().isEmpty());
  }
}
