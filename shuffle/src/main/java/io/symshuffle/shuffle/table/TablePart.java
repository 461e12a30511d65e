// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.DeviceRange;
import java.lang.foreign.MemorySegment;

/**
 * A packed table that lies ready on this GPU.
 *
 * @param metadata what the engine needs to find the columns; native memory
 * @param data where its bytes are: in the engine's buffer that was handed over with it, or in the
 *     own window of the device heap
 */
public record TablePart(MemorySegment metadata, DeviceRange data) {
  /** Checks for nulls. */
  public TablePart {
    requireNonNull(metadata, "metadata is null");
    requireNonNull(data, "data is null");
  }
}
