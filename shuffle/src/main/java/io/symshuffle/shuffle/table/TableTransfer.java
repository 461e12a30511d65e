// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import io.symshuffle.kernel.PackedTables;
import io.symshuffle.kernel.Piece;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.TableFrameDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.output.TableFrameHead;
import io.symshuffle.shuffle.read.FetchedFrames;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.table.ArrivalMemory.Part;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.zip.CRC32C;

/**
 * Iterates over tables that are fetched through Spark's block transfer. Their bytes are moved to
 * memory from which the GPU can copy. Used by one task thread.
 */
final class TableTransfer implements Iterator<TableRef> {
  /** Small enough for the processor's second-level cache, since bytes are read three times. */
  private static final int STEP = 256 << 10;

  private final FetchedFrames frames;
  private final ArrivalMemory memory;
  private final boolean hasKernels;
  private final ShuffleStats stats;
  private final byte[] header = new byte[TableFrameDescriptor.HEADER_BYTES];

  /** Null after the last table. */
  private byte[] step = new byte[STEP];

  private TableRef next;

  /**
   * @param frames what arrives
   * @param memory where it is kept; the taker of a table closes it
   * @param hasKernels whether the GPU unpacks tables and verifies their checksums when they are
   *     there; if not, both is done here
   */
  TableTransfer(
      FetchedFrames frames, ArrivalMemory memory, boolean hasKernels, ShuffleStats stats) {
    this.frames = frames;
    this.memory = memory;
    this.hasKernels = hasKernels;
    this.stats = stats;
  }

  @Override
  public boolean hasNext() {
    if (next != null) {
      return true;
    }
    long start = System.nanoTime();
    long waited = frames.waitedNanos();
    boolean found = frames.next(this::readFrame);
    waited = frames.waitedNanos() - waited;
    stats.add(ShuffleCounter.RECEIVE_NETWORK_NANOS, waited);
    stats.add(ShuffleCounter.RECEIVE_COPY_NANOS, System.nanoTime() - start - waited);
    if (!found) {
      // A task may read with many of these, one after the other, and keeps all until it ends.
      step = null;
      memory.allocatesNoMore();
    }
    return found;
  }

  @Override
  public TableRef next() {
    if (!hasNext()) {
      throw new NoSuchElementException("no table is left");
    }
    TableRef result = next;
    next = null;
    return result;
  }

  private boolean readFrame() throws IOException {
    while (next == null) {
      if (frames.header(header) == null) {
        return false;
      }
      readTable();
    }
    return true;
  }

  private void readTable() throws IOException {
    TableFrameHead head;
    try {
      head = TableFrameHead.read(header, frames.stream());
    } catch (IllegalArgumentException e) {
      throw frames.corrupt(e.getMessage());
    }
    frames.checkFollowing(head.following());
    TableEntry table = head.table();
    if (frames.isWanted()) {
      FetchedTable data =
          table.isPacked() ? readPacked(table) : readPlain(table.bytes(), table.checksum());
      next = TableRef.fetched(frames.source(), table.packed(Tier.HOST, 0, 0, 0), data);
    } else {
      frames.stream().skipNBytes(table.storedBytes());
    }
  }

  private FetchedTable readPlain(long bytes, int crc) throws IOException {
    boolean later = crc != 0 && hasKernels && bytes <= Piece.MAX_BYTES;
    Part data = memory.allocate(bytes);
    if (crc == 0 || later) {
      read(data, bytes);
    } else {
      readChecked(data, bytes, crc);
    }
    return new FetchedTable(data, 0, !later);
  }

  /** Reads packed data, which is verified before anything decodes it. */
  private FetchedTable readPacked(TableEntry table) throws IOException {
    long bytes = table.bytes();
    long packedBytes = table.packedBytes();
    int packedCrc = table.packedChecksum();
    int crc = table.checksum();
    Part packed = hasKernels ? memory.allocate(packedBytes) : memory.allocateWhole(packedBytes);
    if (packedCrc == 0) {
      read(packed, packedBytes);
    } else {
      readChecked(packed, packedBytes, packedCrc);
    }
    if (hasKernels) {
      return new FetchedTable(packed, packedBytes, crc == 0);
    }
    Part data = memory.allocateWhole(bytes);
    MemorySegment plain = data.pieces().getFirst();
    if (!memory.write(() -> PackedTables.decode(packed.pieces().getFirst(), plain))) {
      throw frames.corrupt("the packed data of a frame cannot be decoded");
    }
    packed.close();
    if (crc != 0) {
      checkCrc(Crc32c.of(plain, 0, bytes), crc);
    }
    return new FetchedTable(data, 0, true);
  }

  private void readChecked(Part to, long bytes, int crc) throws IOException {
    CRC32C computed = new CRC32C();
    read(to, bytes, computed);
    checkCrc((int) computed.getValue(), crc);
  }

  private void checkCrc(int computed, int crc) {
    if (computed != crc) {
      throw frames.corrupt(
          "the data of a frame has checksum %08x instead of %08x".formatted(computed, crc));
    }
  }

  private void read(Part to, long bytes) throws IOException {
    read(to, bytes, null);
  }

  /** Reads the next bytes of the block; adds them to a checksum, if there is one. */
  private void read(Part into, long bytes, CRC32C crc) throws IOException {
    long done = 0;
    for (MemorySegment piece : into.pieces()) {
      for (long at = 0; at < piece.byteSize(); ) {
        int want = (int) Math.min(step.length, piece.byteSize() - at);
        int got = frames.stream().readNBytes(step, 0, want);
        if (got < want) {
          throw new EOFException("frame of %d bytes ends after %d".formatted(bytes, done + got));
        }
        if (crc != null) {
          crc.update(step, 0, got);
        }
        MemorySegment to = piece.asSlice(at, got);
        memory.write(() -> to.copyFrom(MemorySegment.ofArray(step).asSlice(0, to.byteSize())));
        at += got;
        done += got;
      }
    }
  }
}
