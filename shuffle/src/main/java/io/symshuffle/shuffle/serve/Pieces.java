// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The bytes of a block to send, piece by piece. Not thread-safe. */
interface Pieces extends AutoCloseable {
  /**
   * Returns the current piece. The caller reads as many bytes of it as needed, then calls this
   * method again.
   *
   * @return a buffer with at least one byte, or an empty one at the end
   */
  ByteBuffer piece() throws IOException;

  @Override
  void close();
}
