// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.cli.pe.Backend;
import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Facts reach the parent process, and a child process that dies does not harm it. */
class FactsTest {
  @Test
  void parsesPrintedGpuFacts() {
    GpuFacts facts =
        new GpuFacts(
            "",
            13000,
            "580.95.05",
            "CUDA cannot pin memory",
            List.of(FakeHost.gpu(0, 1), FakeHost.gpu(1, 0)));
    String output = "a warning from a library\n" + FactLine.of(facts) + "\nanother one";
    assertEquals(facts, GpuFacts.parse(new ChildProcess.Result(0, false, output)));
  }

  @Test
  void parsesPrintedNvshmemFacts() {
    NvshmemFacts facts =
        new NvshmemFacts("", "/a/l.so", "3.4.5", "/a", List.of("/a/l.so", "/b/l.so"));
    assertEquals(facts, NvshmemFacts.parse(new ChildProcess.Result(0, false, FactLine.of(facts))));
  }

  @Test
  void reportsHowChildProcessDied() {
    GpuFacts facts = GpuFacts.parse(new ChildProcess.Result(139, false, ""));
    NvshmemFacts library = NvshmemFacts.parse(new ChildProcess.Result(137, true, ""));
    assertAll(
        () -> assertTrue(facts.absence().contains("crashed"), facts.toString()),
        () -> assertTrue(library.absence().contains("in time"), library.toString()));
  }

  @Test
  void probeWorksOnThisMachine() {
    GpuFacts facts = new LocalHostProbe(Duration.ofSeconds(60), Optional.empty()).gpus();
    assertFalse(facts.absence().contains("query of the CUDA driver"), facts.toString());
  }

  @Test
  void ringRunsInTheFolder(@TempDir Path folder) {
    LocalHostProbe probe = new LocalHostProbe(Duration.ofMinutes(10), Optional.empty());
    ChildProcess.Result passed = probe.ring(Backend.SHM, 1, folder);
    ChildProcess.Result failed = probe.ring(Backend.SHM, 1, folder.resolve("missing"));
    assertAll(
        () -> assertTrue(passed.passed(), passed.output()),
        () -> assertTrue(failed.output().contains("missing/symshuffle-job"), failed.output()));
  }
}
