// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.compress;

/** The content of a block. */
public enum FrameShape {
  /**
   * Frames of records, as in {@link io.symshuffle.shuffle.layout.FrameDescriptor}, or records
   * without frames. The number of columns is not needed.
   */
  RECORDS,
  /** Any bytes, such as frames of packed tables. */
  OPAQUE
}
