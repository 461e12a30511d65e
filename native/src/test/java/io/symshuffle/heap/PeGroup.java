// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The processes of a test, one a PE. Each step has a deadline; a failure shows all their output.
 */
final class PeGroup implements AutoCloseable {
  static final long WINDOW_BYTES = 4L << 20;
  private static final long LIMIT_SECONDS = 60;

  private final List<PeProcess> processes = new ArrayList<>();
  private boolean usable = true;

  PeGroup(Class<? extends HeapMaker> maker, int peCount, Path folder)
      throws IOException, InterruptedException {
    try {
      for (int pe = 0; pe < peCount; pe++) {
        processes.add(
            new PeProcess(
                pe,
                PeMain.class,
                List.of(
                    maker.getName(),
                    Integer.toString(pe),
                    Integer.toString(peCount),
                    folder.toString(),
                    Long.toString(WINDOW_BYTES))));
      }
      awaitAnswers(IntStream.range(0, peCount).toArray(), "START", 0);
    } catch (RuntimeException | Error | IOException | InterruptedException e) {
      close();
      throw e;
    }
  }

  /** Runs a step on all PEs at once. */
  void run(ContractStep step, long seed) throws InterruptedException {
    run(step, seed, IntStream.range(0, processes.size()).toArray());
  }

  /** Runs a step on some PEs at once, while the others wait for their next one. */
  void run(ContractStep step, long seed, int... pes) throws InterruptedException {
    for (int pe : pes) {
      processes.get(pe).send(step + " " + seed);
    }
    awaitAnswers(pes, step.name(), seed);
  }

  /** Kills a PE with SIGKILL. */
  void kill(int pe) {
    processes.get(pe).kill();
  }

  /** False once a step has failed: the PEs may be anywhere. */
  boolean isUsable() {
    return usable;
  }

  private void awaitAnswers(int[] pes, String step, long seed) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
    List<String> faults = new ArrayList<>();
    for (int pe : pes) {
      String answer = processes.get(pe).answer(deadline);
      if (!answer.equals(PeMain.DONE + step)) {
        faults.add("PE " + pe + ": " + answer);
      }
    }
    if (!faults.isEmpty()) {
      usable = false;
      fail(
          "%s with seed %d: %s%n%s"
              .formatted(
                  step,
                  seed,
                  String.join("; ", faults),
                  processes.stream().map(PeProcess::output).collect(Collectors.joining())));
    }
  }

  @Override
  public void close() {
    processes.forEach(PeProcess::close);
  }
}
