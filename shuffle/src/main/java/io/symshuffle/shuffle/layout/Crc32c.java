// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** CRC32C (Castagnoli, RFC 3720 appendix B.4) of memory; the checksum of 0 bytes is 0. */
public final class Crc32c {
  private static final long MAX_STEP = 1 << 30;

  /** Whether the JDK can read buffers of shared arenas, as Java 22 and later versions can. */
  private static final boolean IN_PLACE = readsSharedArenas();

  /** Holds copies of memory that cannot be read in place; small enough for the L1 cache. */
  private static final ThreadLocal<byte[]> COPY = ThreadLocal.withInitial(() -> new byte[8 << 10]);

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
    update(crc, memory, offset, bytes);
    return (int) crc.getValue();
  }

  /** Adds a range, as in {@link #of(MemorySegment, long, long)}, to a checksum. */
  static void update(CRC32C crc, MemorySegment memory, long offset, long bytes) {
    if (IN_PLACE) {
      for (long done = 0; done < bytes; done += MAX_STEP) {
        crc.update(memory.asSlice(offset + done, Math.min(MAX_STEP, bytes - done)).asByteBuffer());
      }
    } else {
      byte[] copy = COPY.get();
      for (long done = 0; done < bytes; done += copy.length) {
        int length = (int) Math.min(copy.length, bytes - done);
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset + done, copy, 0, length);
        crc.update(copy, 0, length);
      }
    }
  }

  /** Computes the checksum of a buffer's remaining bytes; its position does not change. */
  public static int of(ByteBuffer buffer) {
    return of(MemorySegment.ofBuffer(buffer), 0, buffer.remaining());
  }

  private static boolean readsSharedArenas() {
    try (Arena arena = Arena.ofShared()) {
      new CRC32C().update(arena.allocate(1).asByteBuffer());
      return true;
    } catch (UnsupportedOperationException e) {
      return false;
    }
  }
}
