// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.PeProcesses;
import io.symshuffle.nvshmem.PeSetup;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The processes of a device test. */
final class DeviceGroup extends PeProcesses<DeviceStep> {
  private static final long LIMIT_SECONDS = 90;

  DeviceGroup(PeSetup setup, int peCount, Path folder) throws InterruptedException {
    super(
        DevicePeMain.class,
        peCount,
        pe ->
            List.of(
                setup.name(), folder.toString(), Integer.toString(pe), Integer.toString(peCount)),
        LIMIT_SECONDS);
  }

  /** Tells PEs to give NVSHMEM up and to end, and sees that they do. */
  void end(long limitSeconds, int... pes) throws InterruptedException {
    for (int pe : pes) {
      process(pe).send(DeviceStep.END + " 0");
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(limitSeconds);
    for (int pe : pes) {
      assertTrue(
          process(pe).awaitEnd(deadline),
          "PE " + pe + " did not end; its output:\n" + process(pe).output());
    }
  }
}
