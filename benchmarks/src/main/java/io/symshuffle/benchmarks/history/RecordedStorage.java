// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.history;

import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.output.DiskFile;
import io.symshuffle.shuffle.output.DiskFolders;
import io.symshuffle.shuffle.output.OutputStorage;
import io.symshuffle.shuffle.output.OwnedOutput;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Records which map outputs of this PE are freed. Thread-safe. */
final class RecordedStorage implements OutputStorage {
  private final OutputStorage storage;
  private final int myPe;
  private final HistoryWriter events;

  RecordedStorage(OutputStorage storage, int myPe, HistoryWriter events) {
    this.storage = storage;
    this.myPe = myPe;
    this.events = events;
  }

  @Override
  public Optional<Slab> allocateHost(long bytes) {
    return storage.allocateHost(bytes);
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
  }

  @Override
  public DiskFolders disk() {
    return storage.disk();
  }

  @Override
  public long append(DiskFile file, MemorySegment bytes) throws IOException {
    return storage.append(file, bytes);
  }

  @Override
  public void free(OwnedOutput output) {
    events.output(EventKind.FREE, myPe, output.id());
    for (Slab slab : output.hostSlabs()) {
      events.bytes(EventKind.FREE, myPe, output.id(), slab.offset(), slab.bytes());
    }
    storage.free(output);
  }
}
