// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.devicerows;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.kernel.KernelLaunch;
import io.symshuffle.kernel.Kernels;
import io.symshuffle.kernel.Piece;
import io.symshuffle.shuffle.output.CorruptIndexException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeoutException;

/**
 * Fetches blocks of the DEVICE tier: one kernel pulls them from the windows of their owners into
 * the GPU memory of a transfer buffer, and one copy moves all of them to its pinned memory.
 *
 * <p>Used by one task thread.
 */
final class DeviceFetch {
  private final List<Part> parts;
  private final long bytes;
  private TransferBuffer buffer;
  private KernelLaunch launch;

  /**
   * Blocks of one run, and their offset in the buffer.
   *
   * @param blocks the blocks
   * @param offset offset in the buffer, in bytes
   */
  record Part(DeviceBlocks blocks, long offset) {}

  private DeviceFetch(List<Part> parts, long bytes) {
    this.parts = List.copyOf(parts);
    this.bytes = bytes;
  }

  /** The blocks of this fetch; at least 1 part. */
  List<Part> parts() {
    return parts;
  }

  /** The buffer of this fetch, after it is queued. */
  TransferBuffer buffer() {
    return requireNonNull(buffer, "not queued");
  }

  /**
   * Queues the fetch.
   *
   * @param target a buffer for reading, which is in use until {@link #await} returns
   */
  void queue(TransferBuffer target, Kernels kernels) {
    // From here on, the GPU may be using the buffer, even if a call fails.
    buffer = requireNonNull(target, "target is null");
    DeviceRange to = buffer.gpu();
    List<Piece> pieces = new ArrayList<>(parts.size());
    for (Part part : parts) {
      DeviceRange from = part.blocks.range();
      pieces.add(new Piece(from, to.slice(part.offset, from.bytes()), part.blocks.pe()));
    }
    // Sorted by owner, so that all links are busy at the same time.
    pieces.sort(Comparator.comparingInt(Piece::pe));
    int owners = (int) pieces.stream().mapToInt(Piece::pe).distinct().count();
    launch = kernels.pull(pieces, kernels.planFor(pieces, owners));
    launch.queue(buffer.stream());
    buffer.stream().copyOut(buffer.host().asSlice(0, bytes), to.slice(0, bytes));
  }

  /**
   * Waits until the blocks are in pinned memory.
   *
   * @throws TimeoutException if that takes longer than {@code limit}; the GPU continues
   * @throws RuntimeException if the kernel or the GPU failed
   */
  void await(Duration limit) throws TimeoutException {
    launch.await(buffer.stream(), limit);
    launch.close();
    launch = null;
  }

  /**
   * Waits until the GPU no longer uses the buffer, whether or not the fetch was awaited.
   *
   * @throws TimeoutException if that takes longer than {@code limit}
   * @throws RuntimeException if the GPU failed
   */
  void awaitIdle(Duration limit) throws TimeoutException {
    try {
      if (buffer != null) {
        buffer.awaitIdle(limit);
      }
    } finally {
      if (launch != null) {
        launch.close();
        launch = null;
      }
    }
  }

  /** Splits a sequence of blocks into fetches, on demand. */
  static final class Cutter {
    /** Maximum number of pieces per fetch; the kernel's list has 32 bytes per piece. */
    static final int MAX_PARTS = 1 << 14;

    /** Alignment of pieces, so that the kernel copies whole vectors. */
    private static final int ALIGNMENT = 16;

    private final Iterator<DeviceBlocks> sources;
    private final long bufferBytes;
    private DeviceBlocks next;

    /**
     * Creates a cutter.
     *
     * @param bufferBytes maximum size of a fetch, in bytes
     */
    Cutter(Iterator<DeviceBlocks> sources, long bufferBytes) {
      this.sources = requireNonNull(sources, "sources is null");
      this.bufferBytes = bufferBytes;
    }

    boolean hasNext() {
      if (next == null && sources.hasNext()) {
        next = sources.next();
      }
      return next != null;
    }

    /** The blocks with which the next fetch begins. */
    DeviceBlocks peek() {
      return next;
    }

    /**
     * Returns the next fetch.
     *
     * @throws CorruptIndexException if a block is longer than a buffer, or an index is damaged
     */
    DeviceFetch next() {
      List<Part> parts = new ArrayList<>();
      long end = 0;
      while (parts.size() < MAX_PARTS && hasNext()) {
        // Aligned as in the run: source and destination have the same offset in a vector.
        long at = end + Math.floorMod(next.range().address() - end, (long) ALIGNMENT);
        int block = endOfFitting(bufferBytes - at);
        if (block == next.first() && parts.isEmpty()) {
          // Without alignment the blocks may fit: the run may be as long as the buffer.
          at = end;
          block = endOfFitting(bufferBytes);
        }
        if (block == next.first()) {
          if (parts.isEmpty()) {
            throw new CorruptIndexException(
                next.run().id(),
                "block of %d bytes is longer than the maximum of %d bytes"
                    .formatted(next.run().size(block), bufferBytes));
          }
          break;
        }
        DeviceBlocks taken = next.until(block);
        if (taken.bytes() > bufferBytes - at) {
          throw new CorruptIndexException(next.run().id(), "it changed while it was read");
        }
        DeviceBlocks rest = block == next.end() ? null : next.from(block);
        parts.add(new Part(taken, at));
        end = at + taken.bytes();
        next = rest;
        if (next != null) {
          break;
        }
      }
      return new DeviceFetch(parts, end);
    }

    /**
     * The end of the blocks that fit into {@code available} bytes; the first block if none fits.
     */
    private int endOfFitting(long available) {
      if (next.bytes() <= available) {
        return next.end();
      }
      int low = next.first();
      int high = next.end();
      while (high - low > 1) {
        int middle = (low + high) >>> 1;
        if (next.run().start(middle) - next.start() <= available) {
          low = middle;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }
}
