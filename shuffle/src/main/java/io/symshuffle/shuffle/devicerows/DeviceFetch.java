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
 * Fetches some blocks of the DEVICE tier: one kernel pulls them from the windows of their owners
 * into the GPU memory of a transfer buffer, and one copy brings all of them to its pinned memory.
 *
 * <p>Used by one task thread.
 */
final class DeviceFetch {
  private final List<Part> parts;
  private final long bytes;
  private TransferBuffer buffer;
  private KernelLaunch launch;

  /**
   * Blocks of one run, and where they are in the buffer.
   *
   * @param blocks the blocks
   * @param offset in bytes
   */
  record Part(DeviceBlocks blocks, long offset) {}

  private DeviceFetch(List<Part> parts, long bytes) {
    this.parts = List.copyOf(parts);
    this.bytes = bytes;
  }

  /** Its blocks; 1 part or more. */
  List<Part> parts() {
    return parts;
  }

  /** Its buffer, once it is queued. */
  TransferBuffer buffer() {
    return requireNonNull(buffer, "not queued");
  }

  /**
   * Starts it.
   *
   * @param through a buffer for reading, which is in use until {@link #await} has returned
   */
  void queue(TransferBuffer through, Kernels kernels) {
    // From here on the GPU may be using it, even if a call fails.
    buffer = requireNonNull(through, "through is null");
    DeviceRange to = buffer.gpu();
    List<Piece> pieces = new ArrayList<>(parts.size());
    for (Part part : parts) {
      DeviceRange from = part.blocks.range();
      pieces.add(new Piece(from, to.slice(part.offset, from.bytes()), part.blocks.pe()));
    }
    // By owner, so that all links are busy at the same time.
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
   * @throws RuntimeException if the kernel or the GPU has failed
   */
  void await(Duration limit) throws TimeoutException {
    launch.await(buffer.stream(), limit);
    launch.close();
    launch = null;
  }

  /**
   * Waits until the GPU does not use the buffer, whether or not the fetch was awaited.
   *
   * @throws TimeoutException if that takes longer than {@code limit}
   * @throws RuntimeException if the GPU has failed
   */
  void rest(Duration limit) throws TimeoutException {
    if (buffer != null) {
      buffer.rest(limit);
    }
    if (launch != null) {
      launch.close();
      launch = null;
    }
  }

  /** Cuts a sequence of blocks into fetches, on demand. */
  static final class Cutter {
    /** Maximum number of pieces of a fetch; the kernel's list takes 32 bytes for each. */
    static final int MAX_PARTS = 1 << 14;

    /** Alignment of pieces, so that the kernel copies whole vectors. */
    private static final int ALIGNMENT = 16;

    private final Iterator<DeviceBlocks> sources;
    private final long bufferBytes;
    private DeviceBlocks next;

    /**
     * A cutter.
     *
     * @param bufferBytes bytes of a fetch at most
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

    /** The blocks that the next fetch begins with. */
    DeviceBlocks peek() {
      return next;
    }

    /**
     * The next fetch.
     *
     * @throws CorruptIndexException if a block is longer than a buffer, or an index is damaged
     */
    DeviceFetch next() {
      List<Part> parts = new ArrayList<>();
      long end = 0;
      while (parts.size() < MAX_PARTS && hasNext()) {
        // Aligned as in its run: source and destination have the same place in a vector.
        long at = end + Math.floorMod(next.range().address() - end, (long) ALIGNMENT);
        int block = lastThatFits(bufferBytes - at);
        if (block == next.first() && parts.isEmpty()) {
          // The alignment may be the reason: the run is just as long as the buffer.
          at = end;
          block = lastThatFits(bufferBytes);
        }
        if (block == next.first()) {
          if (parts.isEmpty()) {
            throw new CorruptIndexException(
                next.run().id(),
                "block of %d bytes, where none has more than %d"
                    .formatted(next.run().size(block), bufferBytes));
          }
          break;
        }
        DeviceBlocks taken = next.until(block);
        if (taken.bytes() > bufferBytes - at) {
          throw new CorruptIndexException(next.run().id(), "it has changed while it was read");
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

    /** The end of the blocks that fit; the first block if none does. */
    private int lastThatFits(long room) {
      if (next.bytes() <= room) {
        return next.end();
      }
      int low = next.first();
      int high = next.end();
      while (high - low > 1) {
        int middle = (low + high) >>> 1;
        if (next.run().start(middle) - next.start() <= room) {
          low = middle;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }
}
