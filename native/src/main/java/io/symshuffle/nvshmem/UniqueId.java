// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.nvshmem;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.Serializable;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The token with which PEs find each other when NVSHMEM starts: nvshmemx_uniqueid_t version 1. It
 * can be used once. It contains a socket address of the PE that created it and a random number that
 * lets anyone who knows it join, so it is sent only over protected channels and never logged.
 *
 * @param bytes byte[128]
 */
public record UniqueId(byte[] bytes) implements Serializable {
  /** sizeof(nvshmemx_uniqueid_t), all 3.x. */
  public static final int BYTES = 128;

  /** Its first word: version 1, shifted by 16, plus the size. */
  static final int VERSION_WORD = (1 << 16) + BYTES;

  /**
   * Checks that these are a token's bytes.
   *
   * @throws IllegalArgumentException if they are not
   */
  public UniqueId {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException(
          "a unique id has %d bytes, not %d".formatted(BYTES, bytes.length));
    }
    int word = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt();
    if (word != VERSION_WORD) {
      throw new IllegalArgumentException(
          "a unique id starts with the version word %d, not %d: it was created by an incompatible NVSHMEM"
              .formatted(VERSION_WORD, word));
    }
    bytes = bytes.clone();
  }

  /** Returns byte[128], a copy to send to the other PEs. */
  @Override
  public byte[] bytes() {
    return bytes.clone();
  }

  MemorySegment toNative(Arena arena) {
    MemorySegment copy = arena.allocate(BYTES, 8);
    MemorySegment.copy(bytes, 0, copy, JAVA_BYTE, 0, BYTES);
    return copy;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof UniqueId id && Arrays.equals(bytes, id.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  /** Returns a hash that identifies the id without revealing it. */
  @Override
  public String toString() {
    return "unique id #" + Integer.toHexString(hashCode());
  }
}
