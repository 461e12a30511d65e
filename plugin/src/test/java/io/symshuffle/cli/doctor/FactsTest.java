// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a child process finds out reaches its parent, and a child that dies harms nobody. */
class FactsTest {
  @Test
  void factsOfGpusSurviveTheWayBetweenProcesses() {
    GpuFacts facts =
        new GpuFacts(
            Optional.empty(), 13000, "580.95.05", List.of(FakeHost.gpu(0, 1), FakeHost.gpu(1, 0)));
    List<String> output = new ArrayList<>(List.of("some warning of a library"));
    output.addAll(facts.toLines());
    assertEquals(facts, GpuFacts.parse(new ChildOutcome(0, false, output)));
  }

  @Test
  void factsOfNvshmemSurviveTheWayBetweenProcesses() {
    NvshmemFacts facts =
        new NvshmemFacts(Optional.empty(), "/a/l.so", "3.4.5", "/a", List.of("/a/l.so", "/b/l.so"));
    assertEquals(facts, NvshmemFacts.parse(new ChildOutcome(0, false, List.of(facts.toLine()))));
  }

  @Test
  void aChildThatDiesIsAnAbsenceWithItsEnding() {
    GpuFacts facts = GpuFacts.parse(new ChildOutcome(139, false, List.of()));
    NvshmemFacts library = NvshmemFacts.parse(new ChildOutcome(137, true, List.of()));
    assertAll(
        () -> assertTrue(facts.absence().orElseThrow().contains("crashed"), facts.toString()),
        () -> assertTrue(library.absence().orElseThrow().contains("in time"), library.toString()));
  }

  @Test
  void aChildThatHangsIsEndedWithItsOwnChildren() {
    long start = System.nanoTime();
    ChildOutcome outcome =
        new ChildProcess(Duration.ofMillis(300))
            .run(List.of("sh", "-c", "echo here; sleep 600 & sleep 600"));
    assertAll(
        () -> assertTrue(outcome.timedOut()),
        () -> assertEquals(List.of("here"), outcome.output()),
        () -> assertTrue(System.nanoTime() - start < 60_000_000_000L));
  }

  @Test
  void aCommandThatIsNotThereIsAnOutcome() {
    ChildOutcome outcome =
        new ChildProcess(Duration.ofSeconds(5)).run(List.of("/nonexistent/command"));
    assertEquals(-1, outcome.status());
  }

  @Test
  void theProbeAnswersOnThisMachine() {
    GpuFacts facts = new LocalInstruments(Duration.ofSeconds(60), Optional.empty()).gpus();
    assertTrue(
        facts.absence().isEmpty() || !facts.absence().get().contains("asking"), facts.toString());
  }
}
