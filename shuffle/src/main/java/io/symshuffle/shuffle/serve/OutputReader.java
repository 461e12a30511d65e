// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads data of one map output of this PE for sending. Not thread-safe. */
public interface OutputReader extends AutoCloseable {
  /**
   * Reads bytes.
   *
   * @param place offset in this PE's window (HOST, DEVICE) or in the map output's file (DISK)
   * @return a buffer with at least the first of these bytes, valid until the next call
   * @throws IOException if they cannot be read
   */
  ByteBuffer read(Tier tier, long place, int count) throws IOException;

  @Override
  void close();
}
