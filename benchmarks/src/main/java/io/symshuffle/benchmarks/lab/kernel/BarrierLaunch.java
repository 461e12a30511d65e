// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.lab.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.DeviceStruct;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.KernelModule;
import java.time.Duration;
import java.util.List;

/** A barrier of PEs on streams: each {@link #queue} is one round, in which all PEs take part. */
public final class BarrierLaunch extends KernelLaunch {
  private static final long ROUND_OFFSET =
      DeviceStruct.offset(LabStruct.BarrierArguments.class, "round");

  private long round;

  BarrierLaunch(KernelModule module, List<DeviceRange> counters, Duration limit) {
    super(
        module,
        LabKernels.BARRIER,
        module.smallShape(counters.size()),
        (long) Long.BYTES * counters.size(),
        to -> Reductions.writeAddresses(counters, to),
        place ->
            new LabStruct.BarrierArguments(
                place.tables(), place.status(), limit.toNanos(), 0, counters.size(), module.pe()));
  }

  @Override
  public void queue(CudaStream stream) {
    round++;
    arguments().set(JAVA_LONG, ROUND_OFFSET, round);
    super.queue(stream);
  }
}
