// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static org.junit.jupiter.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The processes of a test, one per PE. Each step has a deadline; a failure shows all their output.
 *
 * @param <S> the steps
 */
public class PeProcesses<S extends Enum<S>> implements AutoCloseable {
  private final List<PeProcess> processes = new ArrayList<>();
  private final long limitSeconds;
  private boolean usable = true;

  /**
   * Starts the processes and waits until all are ready.
   *
   * @param main the main class
   * @param arguments arguments of each process, by PE
   * @param limitSeconds timeout of a step
   */
  protected PeProcesses(
      Class<?> main, int peCount, IntFunction<List<String>> arguments, long limitSeconds)
      throws InterruptedException {
    this.limitSeconds = limitSeconds;
    try {
      for (int pe = 0; pe < peCount; pe++) {
        processes.add(new PeProcess(pe, main, arguments.apply(pe)));
      }
      awaitAnswers(all(), "START", 0);
    } catch (RuntimeException | Error | InterruptedException e) {
      close();
      throw e;
    }
  }

  /** Runs a step on all PEs concurrently. */
  public final void run(S step, long seed) throws InterruptedException {
    run(step, seed, all());
  }

  /** Runs a step on some PEs concurrently, while the others are idle. */
  public final void run(S step, long seed, int... pes) throws InterruptedException {
    for (int pe : pes) {
      processes.get(pe).send(step + " " + seed);
    }
    awaitAnswers(pes, step.name(), seed);
  }

  /** Kills a PE with SIGKILL. */
  public final void kill(int pe) {
    processes.get(pe).kill();
  }

  /** False once a step has failed, since the state of the PEs is then unknown. */
  public final boolean isUsable() {
    return usable;
  }

  /** Returns the process of a PE. */
  protected final PeProcess process(int pe) {
    return processes.get(pe);
  }

  private int[] all() {
    return IntStream.range(0, processes.size()).toArray();
  }

  private void awaitAnswers(int[] pes, String step, long seed) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
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
  public final void close() {
    processes.forEach(PeProcess::close);
  }
}
