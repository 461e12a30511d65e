// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.CudaStream;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pull that emits a {@link PullEvent} while JDK Flight Recorder is running. Failures to record
 * are logged and do not affect the pull.
 */
final class PullLaunch extends KernelLaunch {
  private static final Logger LOG = LoggerFactory.getLogger(PullLaunch.class);

  /** Runtime images may lack the module. */
  private static final boolean RECORDER = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  private final List<Piece> pieces;
  private final int myPe;
  private Timing timing;

  PullLaunch(KernelModule module, List<Piece> pieces, LaunchPlan plan) {
    this(module, pieces, plan, PieceTable.of(pieces, PieceTable.Remote.SOURCE));
  }

  private PullLaunch(KernelModule module, List<Piece> pieces, LaunchPlan plan, PieceTable table) {
    super(
        module,
        "symshuffle_pull",
        module.ctaShape(plan.ctas()),
        table.bytes(),
        table::write,
        place ->
            new KernelStruct.PullArguments(
                place.tables(),
                place.status(),
                pieces.size(),
                table.units(),
                plan.tileUnits(),
                plan.spans(),
                module.pe(),
                0));
    this.pieces = pieces;
    this.myPe = module.pe();
  }

  @Override
  void launch(CudaStream stream) {
    forget();
    if (RECORDER) {
      timing = Timing.startOn(stream);
    }
    super.launch(stream);
    if (timing != null) {
      timing.end(stream);
    }
  }

  @Override
  public void check() {
    super.check();
    if (timing != null) {
      timing.commit(pieces, myPe);
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
      timing.close();
      timing = null;
    }
  }

  /** The start and end events of one launch on its stream. */
  private static final class Timing implements AutoCloseable {
    private final PullEvent event;
    private CudaEvent start;
    private CudaEvent end;

    private Timing(PullEvent event) {
      this.event = event;
    }

    /** Records the start; null when the recorder is off. */
    static Timing startOn(CudaStream stream) {
      PullEvent event = new PullEvent();
      if (!event.isEnabled()) {
        return null;
      }
      Timing timing = new Timing(event);
      try {
        timing.start = stream.context().newEvent();
        timing.end = stream.context().newEvent();
        event.begin();
        stream.record(timing.start);
        return timing;
      } catch (RuntimeException e) {
        LOG.debug("Failed to record a pull", e);
        timing.close();
        return null;
      }
    }

    void end(CudaStream stream) {
      try {
        stream.record(end);
      } catch (RuntimeException e) {
        LOG.debug("Failed to record the end of a pull", e);
      }
    }

    /** Commits the event once both events of the stream have been reached. */
    void commit(List<Piece> pieces, int myPe) {
      try {
        event.of(pieces, myPe);
        event.took(start.microsecondsTo(end));
        event.commit();
      } catch (RuntimeException e) {
        LOG.debug("Failed to record a pull", e);
      }
    }

    @Override
    public void close() {
      if (start != null) {
        start.close();
      }
      if (end != null) {
        end.close();
      }
    }
  }
}
