// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.output.MapOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;

/** Reads the bytes of a list of frames, piece by piece. Not thread-safe. */
final class FrameReader implements Pieces {
  /** Maximum size of a piece of data; a multiple of 8, the alignment of data. */
  private static final long MAX_PIECE_BYTES = 1 << 20;

  private final List<Frame> frames;
  private final Function<MapOutput, OutputReader> open;

  /** The map output of the last frame that was read, and its data; null before that. */
  private MapOutput output;

  private OutputReader data;
  private int frame = -1;
  private long done;
  private ByteBuffer piece = ByteBuffer.allocate(0);

  /**
   * Starts before the first frame.
   *
   * @param open opens the data of a map output; at most one is open at a time
   */
  FrameReader(List<Frame> frames, Function<MapOutput, OutputReader> open) {
    this.frames = requireNonNull(frames, "frames is null");
    this.open = requireNonNull(open, "open is null");
  }

  @Override
  public ByteBuffer piece() throws IOException {
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
        piece = dataOf(current.output()).read(current.tier(), current.place() + done, count);
        done += piece.remaining();
      }
    }
    return piece;
  }

  private OutputReader dataOf(MapOutput next) {
    if (output == null || !next.id().equals(output.id())) {
      close();
      data = open.apply(next);
      output = next;
    }
    return data;
  }

  @Override
  public void close() {
    if (data != null) {
      data.close();
      data = null;
      output = null;
    }
  }
}
