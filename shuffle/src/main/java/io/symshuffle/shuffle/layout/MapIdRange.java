// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.layout;

/**
 * A range of map tasks, and its code in a block id. A reduce task asks an executor for its
 * partitions of all map outputs in the range at once, with a block id of Spark's that has the code
 * instead of the id of a map task. The code also limits the answer:
 *
 * <pre>
 *   bit 63   0
 *   bit 62   1, unlike in the id of any map task
 *   bit 61   1 for the map outputs of all executors of its host, 0 for its own
 *   bit 54   7 bits: how many bytes of frames the answer may have, see {@link AnswerLimit}
 *   bit 36   18 bits: last - first
 *   bit 0    36 bits: first
 * </pre>
 *
 * @param first the first map task's id
 * @param last the last map task's id
 */
public record MapIdRange(long first, long last) {
  private static final int FIRST_BITS = 36;
  private static final int SPAN_BITS = 18;
  private static final int LIMIT_SHIFT = FIRST_BITS + SPAN_BITS;
  private static final long OF_HOST = 1L << (LIMIT_SHIFT + AnswerLimit.CODE_BITS);
  private static final long MARK = OF_HOST << 1;

  /** The largest difference between the last and the first id. */
  public static final long MAX_SPAN = (1L << SPAN_BITS) - 1;

  /** The largest id of a map task, about 69 billion. */
  public static final long MAX_ID = (1L << FIRST_BITS) - 1;

  public MapIdRange {
    if (first < 0 || first > MAX_ID || last < first || last - first > MAX_SPAN) {
      throw new IllegalArgumentException(
          "the map tasks %d to %d do not fit into a block id: ids must be at most %d, ranges %d"
              .formatted(first, last, MAX_ID, MAX_SPAN));
    }
  }

  /** Whether a block id has the code of a range instead of the id of a map task. */
  public static boolean isCode(long mapId) {
    return mapId >= MARK;
  }

  /**
   * The range of a code.
   *
   * @throws IllegalArgumentException if it is the id of a map task
   */
  public static MapIdRange ofCode(long code) {
    if (!isCode(code)) {
      throw new IllegalArgumentException(
          "%d is not the code of a range of map tasks".formatted(code));
    }
    long first = code & MAX_ID;
    return new MapIdRange(first, first + ((code >>> FIRST_BITS) & MAX_SPAN));
  }

  /** Whether a code asks for the map outputs of all executors of the host. */
  public static boolean isOfHost(long code) {
    return (code & OF_HOST) != 0;
  }

  /** How many bytes of frames the answer to a code may have. */
  public static long maxBytes(long code) {
    return AnswerLimit.bytes((int) (code >>> LIMIT_SHIFT) & ((1 << AnswerLimit.CODE_BITS) - 1));
  }

  /** Whether a map task is in the range. */
  public boolean contains(long mapId) {
    return mapId >= first && mapId <= last;
  }

  /**
   * The code; different for ranges with different first ids.
   *
   * @param ofHost whether it asks for the map outputs of all executors of the host
   * @param maxBytes how many bytes of frames the answer may have, rounded up to an {@link
   *     AnswerLimit}
   */
  public long code(boolean ofHost, long maxBytes) {
    return MARK
        | (ofHost ? OF_HOST : 0)
        | ((long) AnswerLimit.code(maxBytes) << LIMIT_SHIFT)
        | ((last - first) << FIRST_BITS)
        | first;
  }
}
