// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C (Castagnoli, RFC 3720 appendix B.4) of memory; the checksum of 0 bytes is 0. */
public final class Crc32c {
  private static final long MAX_STEP = 1 << 30;

  private Crc32c() {}

  /**
   * Computes the checksum of a range.
   *
   * @param memory the memory that contains the range
   * @param offset offset of the first byte
   * @param bytes length in bytes; may exceed 2 GiB
   * @throws IndexOutOfBoundsException if the range is not inside {@code memory}
   */
  public static int of(MemorySegment memory, long offset, long bytes) {
    CRC32C crc = new CRC32C();
    for (long done = 0; done < bytes; done += MAX_STEP) {
      crc.update(memory.asSlice(offset + done, Math.min(MAX_STEP, bytes - done)).asByteBuffer());
    }
    return (int) crc.getValue();
  }

  /** Computes the checksum of a buffer's remaining bytes; its position does not change. */
  public static int of(ByteBuffer buffer) {
    CRC32C crc = new CRC32C();
    crc.update(buffer.duplicate());
    return (int) crc.getValue();
  }
}
