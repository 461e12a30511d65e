// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.faults;

import io.symshuffle.benchmarks.history.Recorder;
import io.symshuffle.heap.HeapException;
import io.symshuffle.shuffle.directory.OutputDirectory;
import io.symshuffle.shuffle.output.OutputStorage;
import io.symshuffle.shuffle.output.PeProbe;
import io.symshuffle.shuffle.read.HostCursor;
import io.symshuffle.shuffle.runtime.PartWrapper;
import io.symshuffle.shuffle.serve.OutputReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Injects faults into the shuffle of one executor, and records what it does if asked to. */
public final class FaultInjection implements PartWrapper {
  private static final Logger LOG = LoggerFactory.getLogger(FaultInjection.class);

  private final Faults faults;
  private final PartWrapper recorder;
  private volatile MemorySegment window = MemorySegment.NULL;

  /** Found by {@link java.util.ServiceLoader}. */
  public static final class Factory implements PartWrapper.Factory {
    @Override
    public PartWrapper create(String text, String executorId, boolean mayKill) throws IOException {
      LOG.warn("{} is set, so faults are injected into this executor: {}", KEY, text);
      FaultSpec spec = FaultSpec.parse(text);
      Faults faults = new Faults(spec, executorId, mayKill);
      faults.strike(FaultPoint.START);
      PartWrapper recorder =
          spec.history().isPresent() ? Recorder.open(spec.history().get(), executorId) : NONE;
      return new FaultInjection(faults, recorder);
    }
  }

  private FaultInjection(Faults faults, PartWrapper recorder) {
    this.faults = faults;
    this.recorder = recorder;
  }

  @Override
  public <T> T wrap(Class<T> type, T part) {
    return type.cast(
        switch (recorder.wrap(type, part)) {
          case OutputStorage storage -> {
            window = storage.window();
            yield new FaultyStorage(storage, faults);
          }
          case OutputDirectory directory -> new FaultyDirectory(directory, window, faults);
          case HostCursor.Factory cursors -> FaultyCursor.factory(cursors, faults);
          case OutputReader data -> new FaultyData(data, faults);
          case PeProbe probe -> (PeProbe) pe -> isAlive(probe, pe);
          case Object other -> other;
        });
  }

  /** Fails to open the heap files of other PEs, as if there were no free descriptor (EMFILE). */
  private boolean isAlive(PeProbe probe, int pe) {
    try {
      faults.strike(FaultPoint.PROBE);
    } catch (IOException e) {
      throw new HeapException(e.getMessage(), e);
    }
    return probe.isAlive(pe);
  }
}
