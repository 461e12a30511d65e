// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.TableFrameDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.TableEntry;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.NoSuchElementException;

/**
 * Iterates over packed tables that are fetched through Spark's block transfer. Each table's data is
 * in separate native memory. Used by one task thread.
 */
final class TableTransfer implements Iterator<PackedTableRef> {
  private static final int STEP = 1 << 20;

  private final FetchedFrames frames;
  private final byte[] header = new byte[TableFrameDescriptor.HEADER_BYTES];
  private PackedTableRef next;

  TableTransfer(FetchedFrames frames) {
    this.frames = requireNonNull(frames, "frames is null");
  }

  @Override
  public boolean hasNext() {
    return next != null || frames.next(this::readFrame);
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
    MemorySegment metadata = read(metadataBytes);
    // Check this before using other fields of the header: a wrong size could exhaust memory.
    int headCrc = TableFrameDescriptor.headCrc(header, metadata);
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
    MemorySegment data = read(bytes);
    int crc = fields.getInt(TableFrameDescriptor.CRC_OFFSET);
    int actual = crc == 0 ? 0 : Crc32c.of(data, 0, bytes);
    if (actual != crc) {
      throw frames.corrupt(
          "the data of a frame has checksum %08x instead of %08x".formatted(actual, crc));
    }
    next =
        PackedTableRef.fetched(
            frames.source(),
            new TableEntry(partition, Tier.HOST, 0, bytes, rows, metadata, crc),
            data);
    return true;
  }

  private MemorySegment read(long bytes) throws IOException {
    MemorySegment to = allocate(bytes);
    byte[] step = new byte[(int) Math.min(STEP, Math.max(1, bytes))];
    for (long done = 0; done < bytes; ) {
      int want = (int) Math.min(step.length, bytes - done);
      int got = frames.stream().readNBytes(step, 0, want);
      if (got < want) {
        throw new EOFException("frame of %d bytes ends after %d".formatted(bytes, done + got));
      }
      MemorySegment.copy(step, 0, to, ValueLayout.JAVA_BYTE, done, got);
      done += got;
    }
    return to;
  }

  private static MemorySegment allocate(long bytes) {
    return DirectMemory.require(
        "a table of %d bytes from another executor",
        bytes,
        "spark.rapids.sql.batchSizeBytes",
        () -> Arena.ofAuto().allocate(Math.max(1, bytes), Long.BYTES).asSlice(0, bytes));
  }
}
