// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.DeviceRange;

/** GPU memory from the columnar engine's pool. */
public interface EngineBuffer extends AutoCloseable {
  /** The address range of the buffer. */
  DeviceRange range();

  /** Releases this reference to the memory; tables created from it keep theirs. */
  @Override
  void close();
}
