// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.TableFrameDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import io.symshuffle.shuffle.output.TableEntry;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Iterator;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.spark.storage.BlockId;
import scala.Tuple2;

/**
 * Packed tables that come through Spark's block transfer, each with its data in native memory of
 * its own. Used by one task thread.
 */
final class TableTransfer implements Iterator<TableSource>, AutoCloseable {
  private static final int UNKNOWN = -1;
  private static final int STEP = 1 << 20;

  private final scala.collection.Iterator<Tuple2<BlockId, InputStream>> blocks;
  private final Map<Long, MapSource> sources;
  private final FetchFailures failures;
  private final byte[] header = new byte[TableFrameDescriptor.HEADER_BYTES];
  private final ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);

  private MapSource source;
  private InputStream stream;
  private int following;
  private TableSource next;

  TableTransfer(
      scala.collection.Iterator<Tuple2<BlockId, InputStream>> blocks,
      Map<Long, MapSource> sources,
      FetchFailures failures) {
    this.blocks = requireNonNull(blocks, "blocks is null");
    this.sources = requireNonNull(sources, "sources is null");
    this.failures = requireNonNull(failures, "failures is null");
  }

  @Override
  public boolean hasNext() {
    while (next == null) {
      if (stream == null) {
        if (!blocks.hasNext()) {
          return false;
        }
        Tuple2<BlockId, InputStream> block = blocks.next();
        source =
            requireNonNull(
                sources.get(TransferCursor.mapId(block._1())), "block of an unknown map output");
        stream = block._2();
        following = UNKNOWN;
      }
      try {
        next = readFrame();
        if (next == null) {
          close();
        }
      } catch (IOException e) {
        throw failures.raise(source, "its transfer broke off: " + e.getMessage(), e);
      }
    }
    return true;
  }

  @Override
  public TableSource next() {
    if (!hasNext()) {
      throw new NoSuchElementException("no table is left");
    }
    TableSource result = next;
    next = null;
    return result;
  }

  @Override
  public void close() {
    if (stream != null) {
      try {
        stream.close();
      } catch (IOException e) {
        throw failures.raise(source, "its transfer cannot be closed: " + e.getMessage(), e);
      }
      stream = null;
    }
  }

  /** The next frame of the block, or null behind its last one. */
  private TableSource readFrame() throws IOException {
    int got = stream.readNBytes(header, 0, header.length);
    if (got == 0 && following == 0) {
      return null;
    }
    if (got < header.length) {
      throw new EOFException("%d of %d bytes of a frame's header".formatted(got, header.length));
    }
    int metadataBytes = fields.getInt(TableFrameDescriptor.METADATA_BYTES_OFFSET);
    if (fields.getInt(TableFrameDescriptor.MAGIC_OFFSET) != TableFrameDescriptor.MAGIC
        || metadataBytes < 0
        || metadataBytes > TableFrameDescriptor.MOST_METADATA_BYTES) {
      throw new IOException(
          "frame with magic %08x and %d bytes of metadata"
              .formatted(fields.getInt(TableFrameDescriptor.MAGIC_OFFSET), metadataBytes));
    }
    MemorySegment metadata =
        Arena.ofAuto().allocate(Math.max(1, metadataBytes), Long.BYTES).asSlice(0, metadataBytes);
    fill(metadata);
    // Before a number of the header is used for more than this: a wrong one could ask for all
    // memory.
    int headCrc = TableFrameDescriptor.headCrc(header, metadata.asByteBuffer());
    if (headCrc != fields.getInt(TableFrameDescriptor.HEAD_CRC_OFFSET)) {
      throw new IOException(
          "frame's head with checksum %08x instead of %08x"
              .formatted(headCrc, fields.getInt(TableFrameDescriptor.HEAD_CRC_OFFSET)));
    }
    long bytes = fields.getLong(TableFrameDescriptor.BYTES_OFFSET);
    long rows = fields.getLong(TableFrameDescriptor.ROWS_OFFSET);
    int partition = fields.getInt(TableFrameDescriptor.PARTITION_OFFSET);
    int after = fields.getInt(TableFrameDescriptor.FOLLOWING_OFFSET);
    if (bytes < 0
        || rows < 1
        || partition < 0
        || after < 0
        || (following != UNKNOWN && after != following - 1)) {
      throw new IOException(
          "frame of partition %d with %d bytes, %d rows, %d frames behind it after %d"
              .formatted(partition, bytes, rows, after, following));
    }
    following = after;
    MemorySegment data = Arena.ofAuto().allocate(Math.max(1, bytes), Long.BYTES).asSlice(0, bytes);
    fill(data);
    int crc = fields.getInt(TableFrameDescriptor.CRC_OFFSET);
    int actual = crc == 0 ? 0 : Crc32c.of(data, 0, bytes);
    if (actual != crc) {
      throw new IOException("data with checksum %08x instead of %08x".formatted(actual, crc));
    }
    return TableSource.fetched(
        source, new TableEntry(partition, Tier.HOST, 0, bytes, rows, metadata, crc), data);
  }

  private void fill(MemorySegment to) throws IOException {
    byte[] step = new byte[(int) Math.min(STEP, Math.max(1, to.byteSize()))];
    for (long done = 0; done < to.byteSize(); ) {
      int want = (int) Math.min(step.length, to.byteSize() - done);
      int got = stream.readNBytes(step, 0, want);
      if (got < want) {
        throw new EOFException(
            "frame of %d bytes ends after %d".formatted(to.byteSize(), done + got));
      }
      MemorySegment.copy(step, 0, to, ValueLayout.JAVA_BYTE, done, got);
      done += got;
    }
  }
}
