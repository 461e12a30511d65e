// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.FrameDescriptor;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.ShuffleUsage;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.spark.unsafe.Platform;

/**
 * Iterates over blocks that are fetched through Spark's block transfer. Each frame is a block in a
 * separate Java array.
 */
final class TransferCursor extends BlockCursor {
  private final FetchedFrames frames;
  private final boolean verify;
  private final ShuffleStats stats;
  private final ShuffleUsage.OfShuffle usage;
  private final byte[] header = new byte[FrameDescriptor.HEADER_BYTES];

  TransferCursor(ReadTask task, FetchedFrames frames) {
    this.frames = frames;
    this.verify = task.verify();
    this.stats = task.stats();
    this.usage = task.usage();
  }

  @Override
  public boolean advance() {
    return frames.next(this::readFrame);
  }

  @Override
  public RuntimeException corrupt(String found) {
    throw frames.corrupt(found);
  }

  private boolean readFrame() throws IOException {
    for (ByteBuffer fields = frames.header(header);
        fields != null;
        fields = frames.header(header)) {
      long size = checkHeader(fields);
      if (frames.isWanted()) {
        readData(fields, size);
        return true;
      }
      frames.stream().skipNBytes(size);
    }
    return false;
  }

  /** Checks the header of a frame; returns the size of its data. */
  private long checkHeader(ByteBuffer fields) {
    int magic = fields.getInt(FrameDescriptor.MAGIC_OFFSET);
    long size = fields.getLong(FrameDescriptor.BYTES_OFFSET);
    partition = fields.getInt(FrameDescriptor.PARTITION_OFFSET);
    // Records are padded to 8 bytes, and their readers read 8 bytes at a time.
    if (magic != FrameDescriptor.MAGIC
        || size <= 0
        || size > Integer.MAX_VALUE - 8
        || (size & 7) != 0) {
      throw corrupt("frame with magic %08x and %d bytes".formatted(magic, size));
    }
    frames.checkFollowing(fields.getInt(FrameDescriptor.FOLLOWING_OFFSET));
    return size;
  }

  private void readData(ByteBuffer fields, long size) throws IOException {
    byte[] bytes = frames.stream().readNBytes((int) size);
    if (bytes.length < size) {
      throw new EOFException("frame of %d bytes ends after %d".formatted(size, bytes.length));
    }
    int expected = FrameDescriptor.crc(fields);
    if (verify && Crc32c.of(ByteBuffer.wrap(bytes)) != expected) {
      throw corrupt("block of partition %d does not match its checksum".formatted(partition));
    }
    object = bytes;
    position = Platform.BYTE_ARRAY_OFFSET;
    limit = position + size;
    stats.readTransfer(1, size);
    usage.readTransfer(size);
  }
}
