// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import io.symshuffle.ffi.MappedFile;
import io.symshuffle.heap.SlabBacking;
import io.symshuffle.heap.folder.HeapHeaderDescriptor;

/** Reserves and releases the memory of a heap file's window. */
final class HostBacking implements SlabBacking {
  private final MappedFile mapped;

  HostBacking(MappedFile mapped) {
    this.mapped = mapped;
  }

  @Override
  public boolean reserve(long offset, long bytes) {
    return mapped.populate(HeapHeaderDescriptor.WINDOW_OFFSET + offset, bytes);
  }

  @Override
  public void release(long offset, long bytes) {
    if (mapped.isOpen()) {
      mapped.file().punchHole(HeapHeaderDescriptor.WINDOW_OFFSET + offset, bytes);
    }
  }
}
