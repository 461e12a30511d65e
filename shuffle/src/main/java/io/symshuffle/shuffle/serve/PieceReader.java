// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The bytes of a served block, piece by piece. Not thread-safe. */
interface PieceReader extends AutoCloseable {
  /**
   * The bytes in hand; the caller takes what it likes and calls again.
   *
   * @return a buffer with at least one byte, or an empty one at the end
   */
  ByteBuffer piece() throws IOException;

  @Override
  void close();
}
