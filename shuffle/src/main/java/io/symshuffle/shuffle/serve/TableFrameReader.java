// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.serve;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.device.DeviceTier;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.RunReader;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * The bytes of a list of tables, piece by piece: host memory as it is, GPU memory and files through
 * a small buffer. Not thread-safe.
 */
final class TableFrameReader implements PieceReader {
  private static final long MAX_PIECE_BYTES = 4 << 20;

  private final List<TableFrame> frames;
  private final TableOutput output;
  private final WindowReader window;
  private RunReader disk;
  private int frame = -1;
  private long done;
  private ByteBuffer piece = ByteBuffer.allocate(0);

  TableFrameReader(List<TableFrame> frames, TableOutput output, Optional<DeviceTier> device) {
    this.frames = requireNonNull(frames, "frames is null");
    this.output = requireNonNull(output, "output is null");
    this.window = new WindowReader(device);
  }

  @Override
  public ByteBuffer piece() throws IOException {
    while (!piece.hasRemaining()) {
      if (frame < 0 || done == frames.get(frame).table().bytes()) {
        if (frame + 1 == frames.size()) {
          return piece;
        }
        frame++;
        done = 0;
        piece = frames.get(frame).head(frames.size() - 1 - frame);
      } else {
        piece = nextOf(frames.get(frame).table());
      }
    }
    return piece;
  }

  private ByteBuffer nextOf(TableEntry table) throws IOException {
    int count = (int) Math.min(MAX_PIECE_BYTES, table.bytes() - done);
    ByteBuffer next;
    if (table.tier() == Tier.HOST) {
      next = output.hostData(table).asSlice(done, count).asByteBuffer();
    } else {
      next = ByteBuffer.allocateDirect(count);
      if (table.tier() == Tier.DISK) {
        if (disk == null) {
          disk = RunReader.open(output.file());
        }
        disk.read(table.place() + done, next);
        next.flip();
      } else {
        window.read(table.place() + done, next);
      }
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
