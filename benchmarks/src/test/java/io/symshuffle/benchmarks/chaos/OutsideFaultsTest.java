// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OutsideFaultsTest {
  /** Longer than the test: the soak ends meanwhile. */
  private static final int LONG_MILLIS = 600_000;

  private static final Duration LIMIT = Duration.ofMinutes(10);

  private final ChaosCounts counts = new ChaosCounts();
  private Process executor;
  private OutsideFaults faults;

  @BeforeEach
  void start() throws IOException {
    executor = new ProcessBuilder("sleep", "600").start();
    faults =
        new OutsideFaults(
            () -> List.of(executor.toHandle()),
            Path.of("/dev/shm"),
            Optional.empty(),
            ChaosRound.number(0),
            new Random(1),
            counts);
  }

  @AfterEach
  void end() {
    faults.close();
    executor.destroyForcibly();
  }

  @Test
  void stopsAnExecutorAndContinuesItEvenIfTheSoakEnds() throws Exception {
    runUntil(() -> call(() -> faults.stop(0, LONG_MILLIS)), this::isStopped);
    await().atMost(LIMIT).until(() -> !isStopped());
    assertEquals(Map.of("executor.sigstop", 1L), counts.faults);
  }

  private interface Strike {
    void run() throws Exception;
  }

  private static Void call(Strike strike) throws Exception {
    strike.run();
    return null;
  }

  /** Runs a fault, waits until it has its effect and is counted, and interrupts it. */
  private void runUntil(Callable<Void> fault, BooleanSupplier effect) throws Exception {
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .start(
                () -> {
                  try {
                    fault.call();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  } catch (Exception e) {
                    throw new IllegalStateException(e);
                  }
                });
    await().atMost(LIMIT).until(() -> effect.getAsBoolean() && counts.allFaults() == 1);
    thread.interrupt();
    thread.join(LIMIT);
    assertFalse(thread.isAlive());
  }

  private boolean isStopped() {
    return proc("status").stream().anyMatch(line -> line.matches("State:\\s+T.*"));
  }

  private List<String> proc(String name) {
    try {
      return Files.readAllLines(folder().resolve(name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path folder() {
    return Path.of("/proc", Long.toString(executor.pid()));
  }
}
