// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.layout.ControlDescriptor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * A map output that this process can read: its index, the owner's window and where its file would
 * be.
 *
 * <p>Thread-safe; valid while a lease on the shuffle is held.
 *
 * @param index its index
 * @param window the owner's window
 * @param file the file with its DISK runs; only there if it has some
 */
public record MapOutput(MapIndex index, MemorySegment window, Path file) {
  /** Checks for nulls. */
  public MapOutput {
    requireNonNull(index, "index is null");
    requireNonNull(window, "window is null");
    requireNonNull(file, "file is null");
  }

  /**
   * The memory of a run of the HOST tier.
   *
   * @throws CorruptIndexException if the index points outside the owner's arena
   */
  public MemorySegment hostRun(RunView run) {
    if (run.place() < ControlDescriptor.BYTES
        || run.place() > window.byteSize() - run.bytes()
        || (run.place() & 7) != 0) {
      throw new CorruptIndexException(
          index.id(),
          "run of %d bytes at %d of a window of %d bytes"
              .formatted(run.bytes(), run.place(), window.byteSize()));
    }
    return window.asSlice(run.place(), run.bytes());
  }
}
