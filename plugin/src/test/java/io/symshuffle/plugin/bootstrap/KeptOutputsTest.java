// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.api.Test;

class KeptOutputsTest {
  private final KeptOutputs outputs = new KeptOutputs();

  @Test
  void whatEverybodySeesIsKept() {
    outputs.reported("1", "a");
    outputs.reported("2", "a");
    assertEquals(Set.of(), outputs.lost("1"));
    assertEquals(Set.of(), outputs.reported("3", "a"));
    assertEquals(Set.of(), outputs.lost("2"));
  }

  @Test
  void withTwoHostsOnlyTheLostExecutorsAreGivenUp() {
    outputs.reported("1", "a");
    outputs.reported("2", "a");
    outputs.reported("3", "b");
    assertEquals(Set.of("1"), outputs.lost("1"));
    assertEquals(Set.of("3"), outputs.lost("3"));
    assertEquals(Set.of(), outputs.lost("2"));
  }

  @Test
  void theLastExecutorsAreKeptForWhoeverComesNextOnThatHost() {
    outputs.reported("1", "a");
    assertEquals(Set.of(), outputs.lost("1"));
    assertEquals(Set.of(), outputs.reported("2", "a"));
    assertEquals(Set.of("1"), outputs.reported("3", "b"));
    assertEquals(Set.of(), outputs.reported("4", "c"), "once is enough");
  }

  @Test
  void anExecutorWithoutAHeapLeavesNothing() {
    assertEquals(Set.of("never told"), outputs.lost("never told"));
    outputs.reported("1", "");
    assertEquals(Set.of("1"), outputs.lost("1"));
  }

  @Test
  void anExecutorThatSeesNoFolderMakesAllBeGivenUp() {
    outputs.reported("1", "a");
    outputs.lost("1");
    assertEquals(Set.of("1"), outputs.reported("2", ""));
  }

  @Test
  void anExecutorThatIsReportedLostTwiceIsKept() {
    outputs.reported("1", "a");
    outputs.reported("2", "a");
    assertEquals(Set.of(), outputs.lost("1"));
    assertEquals(Set.of(), outputs.lost("1"));
    assertEquals(Set.of("1"), outputs.reported("3", "b"), "kept until somebody cannot see it");
  }
}
