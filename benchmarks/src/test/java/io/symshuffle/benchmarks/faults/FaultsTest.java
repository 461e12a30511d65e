// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FaultsTest {
  @TempDir Path folder;

  @Test
  void parsesEachPart() {
    assertEquals(
        new FaultSpec(
            -7,
            5,
            Optional.of(Path.of("/a/b")),
            Optional.of(Path.of("/c")),
            List.of(
                new FaultRule(FaultPoint.WRITE, FaultKind.BIT, 0.25),
                new FaultRule(FaultPoint.PUBLISH, FaultKind.KILL, 1.0E-4))),
        FaultSpec.parse("seed=-7,delay=5,log=/a/b,history=/c,write.bit=0.25,publish.kill=1.0E-4"));
  }

  @Test
  void repeatsFaultsOfTheSameSeed() {
    assertEquals(draws("seed=1,read.fail=0.3"), draws("seed=1,read.fail=0.3"));
    assertNotEquals(draws("seed=1,read.fail=0.3"), draws("seed=2,read.fail=0.3"));
  }

  @Test
  void strikesWithTheProbabilityOfTheSpec() {
    List<FaultKind> draws = draws("seed=3,read.fail=0.1,read.delay=0.2");
    long failures = draws.stream().filter(kind -> kind == FaultKind.FAIL).count();
    long delays = draws.stream().filter(kind -> kind == FaultKind.DELAY).count();
    assertTrue(Math.abs(failures - 1000) < 150, "failures: " + failures);
    assertTrue(Math.abs(delays - 2000) < 200, "delays: " + delays);
  }

  @Test
  void logsEachFaultBeforeItStrikes() throws IOException {
    Path log = folder.resolve("log");
    Faults faults =
        new Faults(FaultSpec.parse("seed=5,log=" + log + ",read.fail=1,write.bit=1"), "2", false);
    String message =
        assertThrows(IOException.class, () -> faults.strike(FaultPoint.READ)).getMessage();
    assertEquals("injected fault: read.fail, seed 5, PE 2, occurrence 0", message);
    assertEquals(FaultKind.BIT, faults.strike(FaultPoint.WRITE));
    assertNull(faults.strike(FaultPoint.SERVE));
    assertEquals(List.of("read.fail 2 0", "write.bit 2 0"), Files.readAllLines(log));
  }

  @Test
  void damagesOneBitOrOnePage() throws IOException {
    Faults faults = new Faults(FaultSpec.parse("seed=9"), "0", false);
    try (Arena arena = Arena.ofConfined()) {
      for (int bytes : new int[] {1, 8, 5000, 20_000}) {
        MemorySegment memory = arena.allocate(bytes);
        faults.damage(memory, FaultKind.BIT);
        assertEquals(1, bits(memory));
        memory.fill((byte) 0);
        faults.damage(memory, FaultKind.PAGE);
        assertTrue(bits(memory) > 0);
      }
    }
  }

  private static long bits(MemorySegment memory) {
    long bits = 0;
    for (byte each : memory.toArray(ValueLayout.JAVA_BYTE)) {
      bits += Integer.bitCount(each & 0xFF);
    }
    return bits;
  }

  private static List<FaultKind> draws(String spec) {
    Faults faults = new Faults(FaultSpec.parse(spec), "1", false);
    List<FaultKind> draws = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      draws.add(faults.drawn(FaultPoint.READ, i));
    }
    return draws;
  }
}
