// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import io.symshuffle.shuffle.layout.AnswerDescriptor;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.output.MapOutput;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/** Writes the head of an answer, see {@link AnswerDescriptor}. */
final class AnswerHead {
  private AnswerHead() {}

  /**
   * Lists map outputs.
   *
   * @param asked the range that was asked for
   * @param sources the map output of each frame; frames of one map output are adjacent, and map
   *     outputs ascend
   * @param leftOut bytes of the frames of map outputs that the answer leaves out, by map task
   */
  static ByteBuffer of(MapIdRange asked, List<MapOutput> sources, SortedMap<Long, Long> leftOut) {
    Map<Long, Integer> frames = new LinkedHashMap<>();
    sources.forEach(source -> frames.merge(source.id().mapId(), 1, Integer::sum));
    ByteBuffer head =
        ByteBuffer.allocate(AnswerDescriptor.bytes(frames.size(), leftOut.size()))
            .order(ByteOrder.LITTLE_ENDIAN)
            .putInt(AnswerDescriptor.MAGIC_OFFSET, AnswerDescriptor.MAGIC)
            .putInt(AnswerDescriptor.OUTPUTS_OFFSET, frames.size())
            .putInt(AnswerDescriptor.LEFT_OUT_OFFSET, leftOut.size())
            .position(AnswerDescriptor.HEADER_BYTES);
    frames.forEach((mapId, count) -> head.putInt(offset(asked, mapId)).putInt(count));
    leftOut.forEach((mapId, bytes) -> head.putInt(offset(asked, mapId)).putLong(bytes));
    head.position(AnswerDescriptor.OUTPUTS_OFFSET);
    head.putInt(AnswerDescriptor.CRC_OFFSET, Crc32c.of(head.slice()));
    return head.rewind();
  }

  private static int offset(MapIdRange asked, long mapId) {
    return Math.toIntExact(mapId - asked.first());
  }
}
