// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.layout.TableFrameDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.TableEntry;
import io.symshuffle.shuffle.read.ArrivalMemory.Part;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.TransferStep;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.LongPredicate;
import java.util.zip.CRC32C;

/**
 * Iterates over packed tables that are fetched through Spark's block transfer. Their bytes are
 * moved to memory from which the GPU can copy. Used by one task thread.
 */
final class TableTransfer implements Iterator<PackedTableRef> {
  /** Small enough for the processor's second-level cache, since bytes are read three times. */
  private static final int STEP = 256 << 10;

  private final FetchedFrames frames;
  private final ArrivalMemory.OfTask memory;
  private final LongPredicate isCheckedLater;
  private final ShuffleStats stats;
  private final byte[] header = new byte[TableFrameDescriptor.HEADER_BYTES];
  private final byte[] step = new byte[STEP];
  private PackedTableRef next;

  /**
   * Starts before the first table.
   *
   * @param frames what arrives
   * @param memory where it is kept; the taker of a table closes it
   * @param isCheckedLater whether the GPU verifies the checksum of a table of a number of bytes; if
   *     not, it is verified here
   */
  TableTransfer(
      FetchedFrames frames,
      ArrivalMemory.OfTask memory,
      LongPredicate isCheckedLater,
      ShuffleStats stats) {
    this.frames = requireNonNull(frames, "frames is null");
    this.memory = requireNonNull(memory, "memory is null");
    this.isCheckedLater = requireNonNull(isCheckedLater, "isCheckedLater is null");
    this.stats = requireNonNull(stats, "stats is null");
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
    stats.spent(TransferStep.RECEIVE_NETWORK, waited);
    stats.spent(TransferStep.RECEIVE_COPY, System.nanoTime() - start - waited);
    return found;
  }

  @Override
  public PackedTableRef next() {
    if (!hasNext()) {
      throw new NoSuchElementException("no table is left");
    }
    PackedTableRef result = next;
    next = null;
    return result;
  }

  private boolean readFrame() throws IOException {
    ByteBuffer fields = frames.header(header);
    if (fields == null) {
      return false;
    }
    int metadataBytes = fields.getInt(TableFrameDescriptor.METADATA_BYTES_OFFSET);
    if (fields.getInt(TableFrameDescriptor.MAGIC_OFFSET) != TableFrameDescriptor.MAGIC
        || metadataBytes < 0
        || metadataBytes > TableFrameDescriptor.MAX_METADATA_BYTES) {
      throw frames.corrupt(
          "frame with magic %08x and %d bytes of metadata"
              .formatted(fields.getInt(TableFrameDescriptor.MAGIC_OFFSET), metadataBytes));
    }
    Part metadata = memory.allocateWhole(metadataBytes);
    read(metadata, metadataBytes, null);
    MemorySegment description = metadata.pieces().getFirst();
    // Check this before using other fields of the header: a wrong size could exhaust memory.
    int headCrc = TableFrameDescriptor.headCrc(header, description);
    if (headCrc != fields.getInt(TableFrameDescriptor.HEAD_CRC_OFFSET)) {
      throw frames.corrupt(
          "the head of a frame has checksum %08x instead of %08x"
              .formatted(headCrc, fields.getInt(TableFrameDescriptor.HEAD_CRC_OFFSET)));
    }
    long bytes = fields.getLong(TableFrameDescriptor.BYTES_OFFSET);
    long rows = fields.getLong(TableFrameDescriptor.ROWS_OFFSET);
    int partition = fields.getInt(TableFrameDescriptor.PARTITION_OFFSET);
    if (bytes < 0 || rows < 1 || partition < 0) {
      throw frames.corrupt(
          "frame of partition %d with %d bytes and %d rows".formatted(partition, bytes, rows));
    }
    frames.checkFollowing(fields.getInt(TableFrameDescriptor.FOLLOWING_OFFSET));
    int crc = fields.getInt(TableFrameDescriptor.CRC_OFFSET);
    boolean later = crc != 0 && isCheckedLater.test(bytes);
    Part data = memory.allocate(bytes);
    CRC32C computed = new CRC32C();
    read(data, bytes, crc == 0 || later ? null : computed);
    if (crc != 0 && !later && (int) computed.getValue() != crc) {
      throw frames.corrupt(
          "the data of a frame has checksum %08x instead of %08x"
              .formatted((int) computed.getValue(), crc));
    }
    next =
        PackedTableRef.fetched(
            frames.source(),
            new TableEntry(partition, Tier.HOST, 0, bytes, rows, description, crc),
            new FetchedTable(metadata, data, !later));
    return true;
  }

  /** Reads the next bytes of the block; adds them to a checksum, if there is one. */
  private void read(Part to, long bytes, CRC32C crc) throws IOException {
    long done = 0;
    for (MemorySegment piece : to.pieces()) {
      for (long at = 0; at < piece.byteSize(); ) {
        int want = (int) Math.min(step.length, piece.byteSize() - at);
        int got = frames.stream().readNBytes(step, 0, want);
        if (got < want) {
          throw new EOFException("frame of %d bytes ends after %d".formatted(bytes, done + got));
        }
        if (crc != null) {
          crc.update(step, 0, got);
        }
        MemorySegment.copy(step, 0, piece, ValueLayout.JAVA_BYTE, at, got);
        at += got;
        done += got;
      }
    }
  }
}
