// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/**
 * Layout of the head of an answer: what an executor sends when a reduce task asks it for its
 * partitions of a range of map outputs, either of its own or of all executors of its host. It lists
 * the map outputs with data in these partitions that the executor can read: first those that the
 * answer contains, then those that it leaves out, from the first one that would exceed its {@link
 * AnswerLimit} on, all by ascending id. The frames of the former follow in the same order, as one
 * sequence; only the frames may be compressed. Little-endian.
 *
 * <pre>
 *   0   u32  magic
 *   4   u32  CRC32C of the bytes that follow
 *   8   u32  number of map outputs in the answer
 *   12  u32  number of map outputs that are left out
 *   16       for each map output in the answer:
 *            0  u32  id of the map task minus the first id of the range
 *            4  u32  number of its frames, at least 1
 *            for each one that is left out:
 *            0  u32  id of the map task minus the first id of the range
 *            4  u64  bytes of its frames without compression, at least 1
 * </pre>
 */
public final class AnswerDescriptor {
  /** "SYMA", read as a little-endian number. */
  public static final int MAGIC = 0x414D5953;

  public static final int MAGIC_OFFSET = 0;
  public static final int CRC_OFFSET = 4;
  public static final int OUTPUTS_OFFSET = 8;
  public static final int LEFT_OUT_OFFSET = 12;

  /** Bytes before the first entry. */
  public static final int HEADER_BYTES = 16;

  public static final int ENTRY_ID_OFFSET = 0;
  public static final int ENTRY_FRAMES_OFFSET = 4;

  /** Bytes of the entry of a map output in the answer. */
  public static final int ENTRY_BYTES = 8;

  /** Bytes of the entry of a map output that is left out. */
  public static final int LEFT_OUT_BYTES = 12;

  private AnswerDescriptor() {}

  /** Bytes of the head of an answer with some map outputs that leaves out others. */
  public static int bytes(int outputs, int leftOut) {
    return HEADER_BYTES + outputs * ENTRY_BYTES + leftOut * LEFT_OUT_BYTES;
  }
}
