// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.plugin.membership.Message.StartReport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailedStartsTest {
  private final List<String> excluded = new ArrayList<>();
  private final FailedStarts starts =
      new FailedStarts((executorId, reason) -> excluded.add(executorId + ": " + reason));

  @Test
  void excludesExecutorsOnceAnotherOneHasStarted() {
    fails("1");
    fails("2");
    assertEquals(List.of(), excluded);
    works("3");
    assertEquals(List.of("1: no memory", "2: no memory"), excluded);
    fails("4");
    works("5");
    assertEquals(List.of("1: no memory", "2: no memory", "4: no memory"), excluded);
  }

  @Test
  void excludesNobodyWhenTheOnlyOtherOneIsLost() {
    works("1");
    starts.lost("1");
    fails("2");
    assertEquals(List.of(), excluded);
  }

  @Test
  void forgetsExecutorsThatAreLost() {
    fails("1");
    starts.lost("1");
    works("2");
    assertEquals(List.of(), excluded);
  }

  @Test
  void ignoresReportsOfExecutorsThatAreAlreadyLost() {
    starts.lost("1");
    works("1");
    starts.lost("2");
    fails("2");
    fails("3");
    assertEquals(List.of(), excluded);
    works("4");
    assertEquals(List.of("3: no memory"), excluded);
  }

  private void fails(String executorId) {
    starts.started(new StartReport(executorId, 0, "", "", "no memory"));
  }

  private void works(String executorId) {
    starts.started(new StartReport(executorId, 1 << 20, "/dev/shm", "folder", ""));
  }
}
