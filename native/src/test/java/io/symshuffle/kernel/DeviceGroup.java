// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.symshuffle.heap.PeMain;
import io.symshuffle.heap.PeProcess;
import io.symshuffle.nvshmem.PeSetup;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The processes of a device test, one a PE; a failure shows all their output. */
final class DeviceGroup implements AutoCloseable {
  private static final long LIMIT_SECONDS = 90;

  private final List<PeProcess> processes = new ArrayList<>();

  DeviceGroup(PeSetup setup, int peCount, Path folder) throws Exception {
    try {
      for (int pe = 0; pe < peCount; pe++) {
        processes.add(
            new PeProcess(
                pe,
                DevicePeMain.class,
                List.of(
                    setup.name(),
                    folder.toString(),
                    Integer.toString(pe),
                    Integer.toString(peCount))));
      }
      awaitAnswers(IntStream.range(0, peCount).toArray(), "START", 0);
    } catch (RuntimeException | Error | IOException | InterruptedException e) {
      close();
      throw e;
    }
  }

  void run(DeviceStep step, long seed) throws InterruptedException {
    run(step, seed, IntStream.range(0, processes.size()).toArray());
  }

  void run(DeviceStep step, long seed, int... pes) throws InterruptedException {
    for (int pe : pes) {
      processes.get(pe).send(step + " " + seed);
    }
    awaitAnswers(pes, step.name(), seed);
  }

  void kill(int pe) {
    processes.get(pe).kill();
  }

  /** Tells PEs to give NVSHMEM up and to end, and sees that they do. */
  void end(long limitSeconds, int... pes) throws InterruptedException {
    for (int pe : pes) {
      processes.get(pe).send(DeviceStep.END + " 0");
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
    for (int pe : pes) {
      assertTrue(
          processes.get(pe).awaitEnd(deadline),
          "PE " + pe + " did not end; its output:\n" + processes.get(pe).output());
    }
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
