// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.output.RunReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The bytes of a list of frames, piece by piece: host memory as it is, GPU memory and files through
 * a small buffer. Not thread-safe.
 *
 * @param <F> what a frame holds
 */
abstract class FramesReader<F> implements PieceReader {
  private final List<F> frames;
  private final Path file;
  private final WindowReader window;
  private final long mostPieceBytes;
  private RunReader disk;
  private int frame = -1;
  private long done;
  private ByteBuffer piece = ByteBuffer.allocate(0);

  /**
   * Starts before the first frame.
   *
   * @param file with the data of the DISK tier, opened when it is needed
   * @param mostPieceBytes how much data a piece has at most
   */
  FramesReader(List<F> frames, Path file, Optional<DeviceTier> device, long mostPieceBytes) {
    this.frames = requireNonNull(frames, "frames is null");
    this.file = requireNonNull(file, "file is null");
    this.window = new WindowReader(device);
    this.mostPieceBytes = mostPieceBytes;
  }

  /** Bytes of a frame's data. */
  abstract long bytes(F of);

  /** What stands before the data; {@code following} is the number of frames behind it. */
  abstract ByteBuffer head(F of, int following);

  /** Some of the data, by one of the methods below. */
  abstract ByteBuffer data(F of, long offset, int count) throws IOException;

  @Override
  public final ByteBuffer piece() throws IOException {
    while (!piece.hasRemaining()) {
      if (frame < 0 || done == bytes(frames.get(frame))) {
        if (frame + 1 == frames.size()) {
          return piece;
        }
        frame++;
        done = 0;
        piece = head(frames.get(frame), frames.size() - 1 - frame);
      } else {
        F current = frames.get(frame);
        int count = (int) Math.min(mostPieceBytes, bytes(current) - done);
        piece = data(current, done, count);
        done += count;
      }
    }
    return piece;
  }

  /** Out of the own window of the device heap. */
  final ByteBuffer fromDevice(long place, int count) throws IOException {
    ByteBuffer copy = ByteBuffer.allocateDirect(count);
    window.read(place, copy);
    return copy;
  }

  /** Out of the file. */
  final ByteBuffer fromDisk(long position, int count) throws IOException {
    if (disk == null) {
      disk = RunReader.open(file);
    }
    ByteBuffer copy = ByteBuffer.allocateDirect(count);
    disk.read(position, copy);
    return copy.flip();
  }

  @Override
  public final void close() {
    if (disk != null) {
      disk.close();
      disk = null;
    }
    window.close();
  }
}
