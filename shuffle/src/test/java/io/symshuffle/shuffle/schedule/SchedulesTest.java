// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.schedule;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.process.ChildProcess;
import io.symshuffle.shuffle.schedule.Schedules.Leases;
import io.symshuffle.shuffle.schedule.Schedules.LookupBeforeLease;
import io.symshuffle.shuffle.schedule.Schedules.MemoryReleasedEarly;
import io.symshuffle.shuffle.schedule.Schedules.Slabs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Directory, leases and slabs while Lincheck chooses which thread does the next step. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("long")
class SchedulesTest {
  private static final Duration LIMIT = Duration.ofMinutes(25);

  /** Packages of Java whose fields Lincheck reads. */
  private static final List<String> OPENED =
      List.of(
          "java.lang",
          "java.lang.invoke",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "java.util.concurrent.locks",
          "jdk.internal.misc",
          "jdk.internal.util");

  /** Rounds of a loop in which a thread may wait for another one. */
  private static final int WAITING = 10;

  @Test
  void leasesKeepMapOutputs() {
    String output = run(Schedules.ALL_SLOTS, Leases.class, LookupBeforeLease.class);
    assertTrue(output.contains("Leases right"), output);
    assertTrue(output.contains("LookupBeforeLease wrong"), output);
    assertTrue(output.contains("read after it was freed"), output);
  }

  @Test
  void slabsHaveMemoryOfTheirOwn() {
    String output = run(WAITING, Slabs.class, MemoryReleasedEarly.class);
    assertTrue(output.contains("Slabs right"), output);
    assertTrue(output.contains("MemoryReleasedEarly wrong"), output);
    assertTrue(output.contains("chunk 0 of a slab at 0"), output);
  }

  private static String run(int loops, Class<?>... operations) {
    List<String> options = new ArrayList<>(List.of("-Xmx1g", "-XX:+EnableDynamicAgentLoading"));
    OPENED.forEach(name -> options.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    List<String> arguments = new ArrayList<>(List.of(Integer.toString(loops)));
    Stream.of(operations).map(Class::getName).forEach(arguments::add);
    ChildProcess.Result result =
        ChildProcess.java(options, Schedules.class.getName(), arguments).run(LIMIT);
    assertTrue(result.passed(), result.output());
    return result.output();
  }
}
