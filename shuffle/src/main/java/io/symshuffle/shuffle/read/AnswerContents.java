// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.layout.AnswerDescriptor;
import io.symshuffle.shuffle.layout.AnswerLimit;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.MapIdRange;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Which map outputs an answer contains, by ascending id, and which it leaves out. All are in the
 * range that was asked for.
 *
 * @param mapIds the ids of those that it contains
 * @param frames the number of frames of each, at least 1
 * @param allFrames the number of all frames
 * @param leftOut the others, by id: bytes of their frames without compression, at least 1
 */
record AnswerContents(
    long[] mapIds, int[] frames, int allFrames, NavigableMap<Long, Long> leftOut) {
  AnswerContents {
    leftOut = Collections.unmodifiableNavigableMap(leftOut);
  }

  /**
   * Reads the head of an answer and checks all of it.
   *
   * @param in at the start of the answer
   * @param asked the range that was asked for
   * @throws IOException if the head is damaged or truncated
   */
  static AnswerContents read(InputStream in, MapIdRange asked) throws IOException {
    ByteBuffer header = bytes(in, AnswerDescriptor.HEADER_BYTES);
    int magic = header.getInt(AnswerDescriptor.MAGIC_OFFSET);
    int count = header.getInt(AnswerDescriptor.OUTPUTS_OFFSET);
    int others = header.getInt(AnswerDescriptor.LEFT_OUT_OFFSET);
    if (magic != AnswerDescriptor.MAGIC
        || count < 0
        || others < 0
        || (long) count + others > asked.last() - asked.first() + 1) {
      throw new IOException(
          "invalid answer for the map tasks %d to %d: magic %08x, %d map outputs, %d left out"
              .formatted(asked.first(), asked.last(), magic, count, others));
    }
    ByteBuffer entries =
        bytes(in, AnswerDescriptor.bytes(count, others) - AnswerDescriptor.HEADER_BYTES);
    ByteBuffer checked =
        ByteBuffer.allocate(2 * Integer.BYTES + entries.remaining())
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(count)
            .putInt(others)
            .put(entries.duplicate())
            .flip();
    if (Crc32c.of(checked) != header.getInt(AnswerDescriptor.CRC_OFFSET)) {
      throw new IOException("the head of an answer does not match its checksum");
    }
    return of(entries, count, asked);
  }

  private static AnswerContents of(ByteBuffer entries, int count, MapIdRange asked)
      throws IOException {
    long[] mapIds = new long[count];
    int[] frames = new int[count];
    NavigableMap<Long, Long> leftOut = new TreeMap<>();
    long allFrames = 0;
    long previous = -1;
    for (int i = 0; i < count; i++) {
      int entry = i * AnswerDescriptor.ENTRY_BYTES;
      long offset =
          Integer.toUnsignedLong(entries.getInt(entry + AnswerDescriptor.ENTRY_ID_OFFSET));
      mapIds[i] = asked.first() + offset;
      frames[i] = entries.getInt(entry + AnswerDescriptor.ENTRY_FRAMES_OFFSET);
      allFrames += frames[i];
      if (mapIds[i] > asked.last()
          || mapIds[i] <= previous
          || frames[i] < 1
          || allFrames > Integer.MAX_VALUE) {
        throw new IOException(
            "invalid answer for the map tasks %d to %d: task %d with %d frames at place %d"
                .formatted(asked.first(), asked.last(), mapIds[i], frames[i], i));
      }
      previous = mapIds[i];
    }
    entries.position(count * AnswerDescriptor.ENTRY_BYTES);
    while (entries.hasRemaining()) {
      long mapId = asked.first() + Integer.toUnsignedLong(entries.getInt());
      long bytes = entries.getLong();
      if (mapId > asked.last() || mapId <= previous || bytes < 1 || bytes > AnswerLimit.MAX_BYTES) {
        throw new IOException(
            "invalid answer for the map tasks %d to %d: leaves out task %d with %d bytes after task %d"
                .formatted(asked.first(), asked.last(), mapId, bytes, previous));
      }
      leftOut.put(mapId, bytes);
      previous = mapId;
    }
    return new AnswerContents(mapIds, frames, (int) allFrames, leftOut);
  }

  private static ByteBuffer bytes(InputStream in, int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException(
          "only %d of %d bytes of an answer's head".formatted(bytes.length, count));
    }
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
