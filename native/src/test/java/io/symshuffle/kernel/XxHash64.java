// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.kernel;

import static java.lang.Long.rotateLeft;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** XXH64 as its specification describes it, to compare the kernel with. */
final class XxHash64 {
  private static final long P1 = 0x9E3779B185EBCA87L;
  private static final long P2 = 0xC2B2AE3D27D4EB4FL;
  private static final long P3 = 0x165667B19E3779F9L;
  private static final long P4 = 0x85EBCA77C2B2AE63L;
  private static final long P5 = 0x27D4EB2F165667C5L;

  private XxHash64() {}

  static long of(byte[] bytes, long seed) {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    long hash = seed + P5;
    if (bytes.length >= 32) {
      long[] lanes = {seed + P1 + P2, seed + P2, seed, seed - P1};
      while (in.remaining() >= 32) {
        for (int i = 0; i < lanes.length; i++) {
          lanes[i] = round(lanes[i], in.getLong());
        }
      }
      hash =
          rotateLeft(lanes[0], 1)
              + rotateLeft(lanes[1], 7)
              + rotateLeft(lanes[2], 12)
              + rotateLeft(lanes[3], 18);
      for (long lane : lanes) {
        hash = (hash ^ round(0, lane)) * P1 + P4;
      }
    }
    hash += bytes.length;
    while (in.remaining() >= Long.BYTES) {
      hash = rotateLeft(hash ^ round(0, in.getLong()), 27) * P1 + P4;
    }
    if (in.remaining() >= Integer.BYTES) {
      hash = rotateLeft(hash ^ Integer.toUnsignedLong(in.getInt()) * P1, 23) * P2 + P3;
    }
    while (in.hasRemaining()) {
      hash = rotateLeft(hash ^ Byte.toUnsignedLong(in.get()) * P5, 11) * P1;
    }
    hash = (hash ^ hash >>> 33) * P2;
    hash = (hash ^ hash >>> 29) * P3;
    return hash ^ hash >>> 32;
  }

  private static long round(long lane, long word) {
    return rotateLeft(lane + word * P2, 31) * P1;
  }
}
