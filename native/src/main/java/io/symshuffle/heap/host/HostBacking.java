// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import io.symshuffle.ffi.MappedFile;
import io.symshuffle.heap.SlabBacking;
import io.symshuffle.heap.folder.HeapHeaderDescriptor;

/** Reserves and releases the memory of a heap file's window. */
final class HostBacking implements SlabBacking {
  private final MappedFile mapped;
  private volatile boolean maps = true;

  HostBacking(MappedFile mapped) {
    this.mapped = mapped;
  }

  /** Reserves memory from now on without mapping it in this process. */
  void stopMapping() {
    maps = false;
  }

  @Override
  public boolean reserve(long offset, long bytes) {
    long start = HeapHeaderDescriptor.WINDOW_OFFSET + offset;
    if (maps) {
      return mapped.populate(start, bytes);
    }
    if (!mapped.isOpen()) {
      throw new IllegalStateException(mapped.file().path() + " is closed");
    }
    return mapped.file().allocate(start, bytes);
  }

  @Override
  public void release(long offset, long bytes) {
    if (mapped.isOpen()) {
      mapped.file().punchHole(HeapHeaderDescriptor.WINDOW_OFFSET + offset, bytes);
    }
  }
}
