// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.core.ShuffleStats;
import io.symshuffle.shuffle.core.ShuffleUsage;
import io.symshuffle.shuffle.layout.Crc32c;
import io.symshuffle.shuffle.layout.FrameDescriptor;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import org.apache.spark.unsafe.Platform;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * Walks over blocks that come through Spark's block transfer, frame by frame, each frame in a Java
 * array of its own.
 */
final class TransferCursor extends BlockCursor {
  private static final int UNKNOWN = -1;

  private final Iterator<Tuple2<BlockId, InputStream>> blocks;
  private final Map<Long, MapSource> sources;
  private final boolean verify;
  private final ShuffleStats stats;
  private final ShuffleUsage.OfShuffle usage;
  private final FetchFailures failures;
  private final byte[] header = new byte[FrameDescriptor.HEADER_BYTES];
  private final ByteBuffer fields = ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);

  private MapSource source;
  private InputStream stream;

  /** Frames that the block still has after the one in hand; {@link #UNKNOWN} before its first. */
  private int following;

  /**
   * Starts before the first block.
   *
   * @param blocks Spark's fetcher
   * @param sources where each map task's output comes from
   */
  TransferCursor(
      Iterator<Tuple2<BlockId, InputStream>> blocks,
      Map<Long, MapSource> sources,
      boolean verify,
      ShuffleStats stats,
      FetchFailures failures) {
    this.blocks = requireNonNull(blocks, "blocks is null");
    this.sources = requireNonNull(sources, "sources is null");
    this.verify = verify;
    this.stats = requireNonNull(stats, "stats is null");
    this.failures = requireNonNull(failures, "failures is null");
    this.usage = stats.usage().of(failures.shuffleId());
  }

  @Override
  boolean advance() {
    while (true) {
      if (stream == null) {
        if (!blocks.hasNext()) {
          return false;
        }
        Tuple2<BlockId, InputStream> next = blocks.next();
        source = requireNonNull(sources.get(mapId(next._1())), "block of an unknown map output");
        stream = next._2();
        following = UNKNOWN;
      }
      try {
        if (readFrame()) {
          return true;
        }
        stream.close();
        stream = null;
      } catch (IOException e) {
        throw failures.raise(source, "its transfer broke off: " + e.getMessage(), e);
      }
    }
  }

  @Override
  RuntimeException corrupt(String found) {
    throw failures.raise(source, found, null);
  }

  private boolean readFrame() throws IOException {
    int got = stream.readNBytes(header, 0, header.length);
    if (got == 0 && following == 0) {
      return false;
    }
    if (got < header.length) {
      throw new EOFException("%d of %d bytes of a frame's header".formatted(got, header.length));
    }
    int magic = fields.getInt(FrameDescriptor.MAGIC_OFFSET);
    long size = fields.getLong(FrameDescriptor.BYTES_OFFSET);
    partition = fields.getInt(FrameDescriptor.PARTITION_OFFSET);
    // Records are padded to 8 bytes, and their readers look at 8 bytes at a time.
    if (magic != FrameDescriptor.MAGIC
        || size <= 0
        || size > Integer.MAX_VALUE - 8
        || (size & 7) != 0) {
      throw corrupt("frame with magic %08x and %d bytes".formatted(magic, size));
    }
    int after = fields.getInt(FrameDescriptor.FOLLOWING_OFFSET);
    if (after < 0 || (following != UNKNOWN && after != following - 1)) {
      throw corrupt(
          "%d frames follow, %d were to follow the one before".formatted(after, following));
    }
    following = after;
    byte[] bytes = stream.readNBytes((int) size);
    if (bytes.length < size) {
      throw new EOFException("frame of %d bytes ends after %d".formatted(size, bytes.length));
    }
    int expected = fields.getInt(FrameDescriptor.CRC_OFFSET);
    if (verify && Crc32c.of(ByteBuffer.wrap(bytes)) != expected) {
      throw corrupt("block of partition %d does not match its checksum".formatted(partition));
    }
    object = bytes;
    position = Platform.BYTE_ARRAY_OFFSET;
    limit = position + size;
    stats.readTransfer(1, size);
    usage.readTransfer(source.address().executorId(), size);
    return true;
  }

  /** The map task whose output a block of Spark's fetcher is. */
  static long mapId(BlockId id) {
    return switch (id) {
      case ShuffleBlockId block -> block.mapId();
      case ShuffleBlockBatchId batch -> batch.mapId();
      default -> throw new IllegalStateException("unexpected block " + id);
    };
  }
}
