// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.stress;

import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.directory.ControlView;
import io.symshuffle.shuffle.directory.Directory;
import io.symshuffle.shuffle.directory.LeaseTable;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.Windows;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Two PEs that all states of a test share; each state has a separate map output. */
final class Host {
  private static final int WORDS = 1 << 16;

  static final MemorySegment OWNER;
  static final Directory DIRECTORY;
  static final ControlView VIEW;
  static final LeaseTable LEASES;
  static final ControlView READERS;
  private static final AtomicInteger IDS = new AtomicInteger();

  static {
    // Never closed; they are released when the process exits.
    Windows windows = new Windows();
    OWNER = windows.add(8L * WORDS);
    ControlView.create(OWNER, List.of(Path.of("/disk")));
    DIRECTORY = new Directory(OWNER, SlabBacking.none());
    VIEW = ControlView.open(OWNER);
    MemorySegment reader = windows.add(0);
    ControlView.create(reader, List.of(Path.of("/disk")));
    LEASES = new LeaseTable(reader);
    READERS = ControlView.open(reader);
  }

  private Host() {}

  /** Returns the id of a new map output. */
  static MapOutputId newId() {
    int id = IDS.incrementAndGet();
    return new MapOutputId(id, id);
  }

  /** Offset of a word of the arena that no concurrent state uses. */
  static long arena(MapOutputId id) {
    return ControlDescriptor.BYTES + id.mapId() % WORDS * Long.BYTES;
  }
}
