// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.CudaFunction;
import io.symshuffle.cuda.CudaStream;
import io.symshuffle.cuda.LaunchShape;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** A pull, which tells the Java Flight Recorder of itself while that records. */
final class PullLaunch extends KernelLaunch {
  private final List<Piece> pieces;
  private final int myPe;
  private Timing timing;

  PullLaunch(
      WorkspacePool pool,
      CudaFunction function,
      LaunchShape shape,
      Tables tables,
      Function<Place, Record> argument,
      List<Piece> pieces,
      int myPe) {
    super(pool, function, shape, PieceTable.DESCRIPTOR_BYTES * pieces.size(), tables, argument);
    this.pieces = pieces;
    this.myPe = myPe;
  }

  @Override
  void launch(CudaStream stream) {
    forget();
    PullEvent event = new PullEvent();
    if (!event.isEnabled()) {
      super.launch(stream);
      return;
    }
    timing = new Timing(event, stream.context().newEvent(), stream.context().newEvent());
    event.begin();
    stream.record(timing.start);
    super.launch(stream);
    stream.record(timing.end);
  }

  @Override
  public void await(CudaStream stream, Duration limit) throws TimeoutException {
    super.await(stream, limit);
    if (timing != null) {
      timing.event.of(pieces, myPe);
      timing.event.took(timing.start.microsecondsTo(timing.end));
      timing.event.commit();
      forget();
    }
  }

  @Override
  public void close() {
    forget();
    super.close();
  }

  private void forget() {
    if (timing != null) {
      timing.start.close();
      timing.end.close();
      timing = null;
    }
  }

  private record Timing(PullEvent event, CudaEvent start, CudaEvent end) {}
}
