// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.LaunchShape;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.KernelModule;
import java.util.function.Function;

/** A barrier of PEs on streams: each {@link #queue} is one round, in which all PEs take part. */
public final class BarrierLaunch extends KernelLaunch {
  private final long roundOffset;
  private final long step;
  private long round;

  BarrierLaunch(
      KernelModule module,
      String function,
      LaunchShape shape,
      long tableBytes,
      Tables tables,
      Function<Place, Record> argument,
      long roundOffset,
      long step) {
    super(module, function, shape, tableBytes, tables, argument);
    this.roundOffset = roundOffset;
    this.step = step;
  }

  @Override
  public void queue(CudaStream stream) {
    round += step;
    arguments().set(JAVA_LONG, roundOffset, round);
    super.queue(stream);
  }
}
