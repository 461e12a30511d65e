// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.cuda.DeviceRange;

/** GPU memory out of the columnar engine's own pool. */
public interface EngineBuffer extends AutoCloseable {
  /** Where it lies. */
  DeviceRange range();

  /** Gives our hold on it back; tables made of it keep theirs. */
  @Override
  void close();
}
