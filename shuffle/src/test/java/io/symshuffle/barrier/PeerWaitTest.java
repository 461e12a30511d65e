// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Waits for another PE that does what it should not. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PeerWaitTest {
  private static final long GENERATION = 5;

  private final ControlBlock control =
      ControlBlock.create(ControlBlock.empty().memory(), GENERATION);

  @ParameterizedTest
  @ValueSource(longs = {0, 6, -1, Long.MIN_VALUE})
  void waitHasALimit(long arrivals) {
    control.arrive(arrivals);
    assertFails("PE 0 has waited 0 s for PE 3 in barrier()");
  }

  @ParameterizedTest
  @ValueSource(longs = {9, Long.MAX_VALUE})
  void arrivalThatCannotBeIsAnError(long arrivals) {
    control.arrive(arrivals);
    assertFails("the control block of PE 3 is damaged: it arrived " + arrivals + " times");
  }

  @ParameterizedTest
  @ValueSource(longs = {7, 8})
  void returnsWhenThePeerIsAtThisCallOrTheNext(long arrivals) {
    control.arrive(arrivals);
    await(Duration.ZERO);
  }

  @Test
  void closedMemoryEndsTheWait() {
    control.close();
    assertTrue(
        assertThrows(SymmetricMemoryException.class, () -> await(Duration.ofMinutes(10)))
            .getMessage()
            .contains("has ended or closed its memory"));
  }

  @Test
  void closedMemoryEndsTheWaitForAGpuThatNeedsIt() {
    control.close();
    String found =
        assertThrows(
                SymmetricMemoryException.class,
                () -> awaitGpu(Duration.ofMinutes(1), () -> false, List.of(peer())))
            .getMessage();
    assertTrue(found.contains("the task of PE 3 has ended or closed its memory"), found);
  }

  @Test
  void workOfThisGpuAloneMayEndAfterAnotherTask() {
    control.close();
    long end = System.nanoTime() + Duration.ofSeconds(4).toNanos();
    awaitGpu(Duration.ofMinutes(1), () -> System.nanoTime() > end, List.of());
  }

  @Test
  void waitForAGpuHasALimit() {
    String found =
        assertThrows(
                SymmetricMemoryException.class,
                () -> awaitGpu(Duration.ZERO, () -> false, List.of(peer())))
            .getMessage();
    assertTrue(found.contains("PE 0 has waited 5 s for its GPU"), found);
  }

  private FakePeer peer() {
    return new FakePeer(control, GENERATION);
  }

  private static void awaitGpu(Duration limit, BooleanSupplier isDone, List<Peer> peers) {
    new PeerWait(() -> {}, limit, () -> false, "PE 0").await(isDone, peers, "barrier()");
  }

  private void assertFails(String message) {
    String found =
        assertThrows(SymmetricMemoryException.class, () -> await(Duration.ofMillis(1)))
            .getMessage();
    assertTrue(found.contains(message), found);
  }

  private void await(Duration limit) {
    new PeerWait(() -> {}, limit, () -> false, "PE 0").await(peer(), 7, "barrier()");
  }
}
