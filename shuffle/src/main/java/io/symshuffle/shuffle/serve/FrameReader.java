// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.fault.FaultKind;
import io.symshuffle.shuffle.fault.FaultPoint;
import io.symshuffle.shuffle.fault.Faults;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.RunReader;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The bytes of a list of frames, piece by piece: host memory as it is, GPU memory and files through
 * a small buffer. Not thread-safe.
 */
final class FrameReader implements PieceReader {
  private static final long MAX_PIECE_BYTES = 1 << 20;

  private final Faults faults = Faults.current();
  private final List<Frame> frames;
  private final Path file;
  private final WindowReader window;
  private RunReader disk;
  private int frame = -1;
  private long done;
  private ByteBuffer piece = ByteBuffer.allocate(0);

  FrameReader(List<Frame> frames, Path file, Optional<DeviceTier> device) {
    this.frames = requireNonNull(frames, "frames is null");
    this.file = requireNonNull(file, "file is null");
    this.window = new WindowReader(device);
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
        piece = frames.get(frame).header(frames.size() - 1 - frame);
      } else {
        piece = nextOf(frames.get(frame));
      }
    }
    return piece;
  }

  private ByteBuffer nextOf(Frame current) throws IOException {
    FaultKind fault = faults == null ? null : faults.strike(FaultPoint.SERVE);
    ByteBuffer next = intactNextOf(current);
    if (fault == FaultKind.TRUNCATE) {
      throw new IOException("broken off on purpose");
    }
    if (fault == null) {
      return next;
    }
    ByteBuffer damaged = ByteBuffer.allocate(next.remaining()).put(next).flip();
    faults.damage(MemorySegment.ofBuffer(damaged), fault);
    return damaged;
  }

  private ByteBuffer intactNextOf(Frame current) throws IOException {
    long count = Math.min(MAX_PIECE_BYTES, current.bytes() - done);
    ByteBuffer next;
    if (current.memory().isPresent()) {
      next = current.memory().get().asSlice(done, count).asByteBuffer();
    } else if (current.tier() == Tier.DEVICE) {
      next = ByteBuffer.allocateDirect((int) count);
      window.read(current.position() + done, next);
    } else {
      if (disk == null) {
        disk = RunReader.open(file);
      }
      next = ByteBuffer.allocate((int) count);
      disk.read(current.position() + done, next);
      next.flip();
    }
    done += count;
    return next;
  }

  @Override
  public void close() {
    if (disk != null) {
      disk.close();
      disk = null;
    }
    window.close();
  }
}
