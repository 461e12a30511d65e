// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.PeProcesses;
import io.symshuffle.nvshmem.PeSetup;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The processes of a device test, one per PE.
 *
 * @param <S> the steps
 */
public final class DeviceGroup<S extends Enum<S>> extends PeProcesses<S> {
  private static final long LIMIT_SECONDS = 600;

  DeviceGroup(Class<?> main, PeSetup setup, int peCount, Path folder) throws InterruptedException {
    super(
        main,
        peCount,
        pe ->
            List.of(
                setup.name(), folder.toString(), Integer.toString(pe), Integer.toString(peCount)),
        LIMIT_SECONDS);
  }

  /** Runs a step that ends PEs, and waits until they have exited. */
  void end(S step, long limitSeconds, int... pes) throws InterruptedException {
    for (int pe : pes) {
      process(pe).send(step + " 0");
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
    for (int pe : pes) {
      assertTrue(
          process(pe).awaitEnd(deadline),
          "PE " + pe + " did not end; its output:\n" + process(pe).output());
    }
  }
}
