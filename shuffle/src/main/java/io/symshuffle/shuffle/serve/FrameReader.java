// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** The bytes of a list of frames, piece by piece. Not thread-safe. */
final class FrameReader implements AutoCloseable {
  /** A piece holds at most this much data; a multiple of the 8 bytes to which places align. */
  private static final long MAX_PIECE_BYTES = 1 << 20;

  private final List<Frame> frames;
  private final OutputData data;
  private int frame = -1;
  private long done;
  private ByteBuffer piece = ByteBuffer.allocate(0);

  /**
   * Starts before the first frame.
   *
   * @param data reads their data; owned from now on
   */
  FrameReader(List<Frame> frames, OutputData data) {
    this.frames = requireNonNull(frames, "frames is null");
    this.data = requireNonNull(data, "data is null");
  }

  /**
   * The current bytes; the caller takes as many as it likes and calls again.
   *
   * @return a buffer with at least one byte, or an empty one at the end
   */
  ByteBuffer piece() throws IOException {
    while (!piece.hasRemaining()) {
      if (frame < 0 || done == frames.get(frame).bytes()) {
        if (frame + 1 == frames.size()) {
          return piece;
        }
        frame++;
        done = 0;
        piece = frames.get(frame).head().apply(frames.size() - 1 - frame);
      } else {
        Frame current = frames.get(frame);
        int count = (int) Math.min(MAX_PIECE_BYTES, current.bytes() - done);
        piece = data.read(current.tier(), current.place() + done, count);
        done += count;
      }
    }
    return piece;
  }

  @Override
  public void close() {
    data.close();
  }
}
