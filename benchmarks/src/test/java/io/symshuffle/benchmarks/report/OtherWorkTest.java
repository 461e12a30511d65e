// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class OtherWorkTest {
  @Test
  void othersAreWhatTheMachineDidBesideUs() {
    OtherWork work = new OtherWork();
    work.add(new OtherWork.Counters(100, 40, 30), new OtherWork.Counters(300, 200, 90));
    assertTrue(
        work.sentence().startsWith("The machine is busy: other programs used 50 % of its CPU time"),
        work.sentence());
  }

  @Test
  void anIdleMachineIsNotMentioned() {
    OtherWork work = new OtherWork();
    assertEquals("", work.sentence());
    // A process that ends between two readings takes its CPU time along.
    work.add(new OtherWork.Counters(100, 40, 30), new OtherWork.Counters(300, 180, 172));
    work.add(new OtherWork.Counters(300, 180, 172), new OtherWork.Counters(500, 200, 160));
    assertEquals("", work.sentence());
  }
}
