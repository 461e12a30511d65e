// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.serve;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.cuda.PinnedArena;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.MapOutput;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A block whose tables of the DEVICE tier another thread brings to pinned memory, from which they
 * are sent. Thread-safe.
 */
final class StagedBlock extends PreparedBlock {
  private final Function<MapOutput, OutputReader> others;

  @GuardedBy("this")
  private PinnedArena.Memory memory;

  /**
   * @param others opens the data of a map output in other tiers
   */
  StagedBlock(Function<MapOutput, OutputReader> others) {
    this.others = others;
  }

  /**
   * Ends the staging.
   *
   * @param frames what to send; the place of data of the DEVICE tier is an offset in {@code staged}
   * @param staged pinned memory, which is freed with this block
   */
  void end(List<Frame> frames, PinnedArena.Memory staged) {
    synchronized (this) {
      if (isReleased()) {
        staged.close();
        return;
      }
      memory = staged;
    }
    List<Frame> all = List.copyOf(frames);
    end(
        Optional.of(
            new Content(
                all.stream().mapToLong(Frame::wireBytes).sum(),
                () ->
                    new FrameReader(
                        all, output -> new StagedReader(staged.pieces(), others.apply(output))))));
  }

  @Override
  synchronized void free() {
    if (memory != null) {
      memory.close();
      memory = null;
    }
  }

  /** Reads data of the DEVICE tier from pinned memory. */
  private static final class StagedReader implements OutputReader {
    private final List<MemorySegment> pieces;
    private final OutputReader others;

    StagedReader(List<MemorySegment> pieces, OutputReader others) {
      this.pieces = pieces;
      this.others = others;
    }

    @Override
    public ByteBuffer read(Tier tier, long place, int count) throws IOException {
      if (tier != Tier.DEVICE) {
        return others.read(tier, place, count);
      }
      long offset = place;
      for (MemorySegment piece : pieces) {
        if (offset < piece.byteSize()) {
          return piece.asSlice(offset, Math.min(count, piece.byteSize() - offset)).asByteBuffer();
        }
        offset -= piece.byteSize();
      }
      throw new IOException("byte %d was not staged".formatted(place));
    }

    @Override
    public void close() {
      others.close();
    }
  }
}
