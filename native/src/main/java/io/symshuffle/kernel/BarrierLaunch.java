// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.symshuffle.cuda.CudaFunction;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.LaunchShape;
import java.util.function.Function;

/** A barrier of PEs on streams: each {@link #queue} is one round, in which all PEs take part. */
public final class BarrierLaunch extends KernelLaunch {
  private final long roundOffset;
  private final long step;
  private long round;

  BarrierLaunch(
      WorkspacePool pool,
      CudaFunction function,
      LaunchShape shape,
      long tableBytes,
      Tables tables,
      Function<Place, Record> argument,
      long roundOffset,
      long step) {
    super(pool, function, shape, tableBytes, tables, argument);
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
