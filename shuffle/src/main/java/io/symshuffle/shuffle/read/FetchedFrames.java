// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * The frames of blocks that come through Spark's block transfer, one after the other. Each frame
 * says how many follow it, so a block that was cut off between two frames is noticed.
 *
 * <p>Whatever is wrong with a block is a fetch failure. Used by one task thread.
 */
final class FetchedFrames implements AutoCloseable {
  private static final int UNKNOWN = -1;

  private final Iterator<Tuple2<BlockId, InputStream>> blocks;
  private final Map<Long, MapSource> sources;
  private final FetchFailures failures;
  private MapSource source;
  private InputStream stream;

  /** Frames that follow the current one in its block; {@link #UNKNOWN} before the first. */
  private int following;

  /** Reads one frame. */
  @FunctionalInterface
  interface FrameReader {
    /**
     * Reads the next frame of the current block.
     *
     * @return false at the end of the block
     */
    boolean read() throws IOException;
  }

  /**
   * Starts before the first block.
   *
   * @param blocks Spark's fetcher
   * @param sources where each map task's output comes from
   */
  FetchedFrames(
      Iterator<Tuple2<BlockId, InputStream>> blocks,
      Map<Long, MapSource> sources,
      FetchFailures failures) {
    this.blocks = requireNonNull(blocks, "blocks is null");
    this.sources = requireNonNull(sources, "sources is null");
    this.failures = requireNonNull(failures, "failures is null");
  }

  /** The map output of the current block. */
  MapSource source() {
    return source;
  }

  /**
   * Goes to the next frame, in this block or a later one.
   *
   * @param reader reads it
   * @return false if there is none
   */
  boolean next(FrameReader reader) {
    while (stream != null || nextBlock()) {
      try {
        if (reader.read()) {
          return true;
        }
      } catch (IOException e) {
        throw failures.raise(source, "its transfer broke off: " + e.getMessage(), e);
      }
      close();
    }
    return false;
  }

  /**
   * Reads the header of a frame.
   *
   * @param header its bytes
   * @return its fields, or null at the end of the block
   */
  ByteBuffer header(byte[] header) throws IOException {
    int got = stream.readNBytes(header, 0, header.length);
    if (got == 0 && following == 0) {
      return null;
    }
    if (got < header.length) {
      throw new EOFException("%d of %d bytes of a frame's header".formatted(got, header.length));
    }
    return ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Checks how many frames follow the current one. */
  void follow(int after) {
    if (after < 0 || (following != UNKNOWN && after != following - 1)) {
      throw corrupt(
          "%d frames follow, %d were expected after the one before".formatted(after, following));
    }
    following = after;
  }

  /** The bytes after the header. */
  InputStream stream() {
    return stream;
  }

  /** Ends the task with a fetch failure for the current block. */
  RuntimeException corrupt(String found) {
    throw failures.raise(source, found, null);
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

  private boolean nextBlock() {
    if (!blocks.hasNext()) {
      return false;
    }
    Tuple2<BlockId, InputStream> next = blocks.next();
    source = requireNonNull(sources.get(mapId(next._1())), "block of an unknown map output");
    stream = next._2();
    following = UNKNOWN;
    return true;
  }

  /** The map task whose output a block of Spark's fetcher is. */
  private static long mapId(BlockId id) {
    return switch (id) {
      case ShuffleBlockId block -> block.mapId();
      case ShuffleBlockBatchId batch -> batch.mapId();
      default -> throw new IllegalStateException("unexpected block " + id);
    };
  }
}
