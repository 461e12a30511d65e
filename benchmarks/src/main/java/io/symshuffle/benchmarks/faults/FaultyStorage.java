// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.faults;

import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.output.DiskFile;
import io.symshuffle.shuffle.output.DiskFolders;
import io.symshuffle.shuffle.output.OutputStorage;
import io.symshuffle.shuffle.output.OwnedOutput;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/** Makes the heap seem full, and damages runs when they are written. */
final class FaultyStorage implements OutputStorage {
  private final OutputStorage storage;
  private final Faults faults;

  FaultyStorage(OutputStorage storage, Faults faults) {
    this.storage = storage;
    this.faults = faults;
  }

  @Override
  public Optional<Slab> allocateHost(long bytes) {
    return faults.strikeUnfailing(FaultPoint.ALLOCATE) == null
        ? storage.allocateHost(bytes)
        : Optional.empty();
  }

  @Override
  public Optional<Slab> allocateDevice(long bytes) {
    return storage.allocateDevice(bytes);
  }

  @Override
  public MemorySegment window() {
    return storage.window();
  }

  @Override
  public void write(MemorySegment run, MemorySegment to) throws IOException {
    storage.write(run, to);
    FaultKind fault = faults.strike(FaultPoint.WRITE);
    if (fault != null) {
      faults.damage(to, fault);
    }
  }

  @Override
  public DiskFolders disk() {
    return storage.disk();
  }

  @Override
  public long append(DiskFile file, MemorySegment bytes) throws IOException {
    FaultKind fault = faults.strike(FaultPoint.DISK);
    if (fault == null) {
      return storage.append(file, bytes);
    }
    MemorySegment damaged = MemorySegment.ofArray(bytes.toArray(ValueLayout.JAVA_BYTE));
    faults.damage(damaged, fault);
    return storage.append(file, damaged);
  }

  @Override
  public void free(OwnedOutput output) {
    storage.free(output);
  }
}
