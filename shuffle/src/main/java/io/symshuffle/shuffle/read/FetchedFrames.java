// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.compress.BlockDecompressor;
import io.symshuffle.shuffle.compress.ChunkInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import org.apache.spark.FetchFailed;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * Iterates over the frames of blocks that are fetched through Spark's block transfer. Each frame
 * contains the number of frames that follow it, so a block that is truncated between two frames is
 * detected.
 *
 * <p>Any error in a block is a fetch failure. Used by one task thread.
 */
final class FetchedFrames implements AutoCloseable {
  private static final int UNKNOWN = -1;

  private final Iterator<Tuple2<BlockId, InputStream>> blocks;
  private final Map<Long, MapSource> sources;
  private final FetchFailures failures;
  private final BlockDecompressor decompressor = new BlockDecompressor();
  private MapSource source;
  private InputStream stream;
  private long waitedNanos;

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
   * @param sources the map outputs, by map task id
   */
  FetchedFrames(
      Iterator<Tuple2<BlockId, InputStream>> blocks,
      Map<Long, MapSource> sources,
      FetchFailures failures) {
    this.blocks = requireNonNull(blocks, "blocks is null");
    this.sources = requireNonNull(sources, "sources is null");
    this.failures = requireNonNull(failures, "failures is null");
  }

  /** How long this has waited for Spark's fetcher, in nanoseconds. */
  long waitedNanos() {
    return waitedNanos;
  }

  /** The map output of the current block. */
  MapSource source() {
    return source;
  }

  /**
   * Moves to the next frame, in this block or a later one.
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
        throw failures.raise(source, "its transfer failed: " + e.getMessage(), e);
      }
      closeStream();
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
      throw new EOFException(
          "only %d of %d bytes of a frame's header".formatted(got, header.length));
    }
    return ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Checks the number of frames that follow the current one. */
  void checkFollowing(int after) {
    if (after < 0 || (following != UNKNOWN && after != following - 1)) {
      throw corrupt(
          "%d frames follow, but %d followed the previous frame".formatted(after, following));
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
    decompressor.close();
    closeStream();
  }

  private void closeStream() {
    if (stream != null) {
      try {
        stream.close();
      } catch (IOException e) {
        throw failures.raise(source, "cannot close its transfer: " + e.getMessage(), e);
      }
      stream = null;
    }
  }

  private boolean nextBlock() {
    Tuple2<BlockId, InputStream> next;
    long start = System.nanoTime();
    try {
      if (!blocks.hasNext()) {
        return false;
      }
      next = blocks.next();
    } catch (Exception e) {
      if (e instanceof FetchFailedException failure) {
        throw named(failure);
      }
      throw e;
    } finally {
      waitedNanos += System.nanoTime() - start;
    }
    source = requireNonNull(sources.get(mapId(next._1())), "block of an unknown map output");
    stream = new ChunkInputStream(next._2(), decompressor);
    following = UNKNOWN;
    return true;
  }

  /**
   * The failure of Spark's fetcher with our message, which names the host, and with the address
   * from Spark's tracker, which the fetcher may not know ({@link SparkFetcher#byNetwork}).
   */
  private RuntimeException named(FetchFailedException failure) {
    FetchFailed reason = (FetchFailed) failure.toTaskFailedReason();
    Throwable cause = failure.getCause();
    String found = cause == null ? reason.message() : cause.getMessage();
    throw failures.raise(
        requireNonNull(sources.get(reason.mapId()), "failure of an unknown map output"),
        "its transfer failed: " + found,
        failure);
  }

  /** The map task of a block of Spark's fetcher. */
  private static long mapId(BlockId id) {
    return switch (id) {
      case ShuffleBlockId block -> block.mapId();
      case ShuffleBlockBatchId batch -> batch.mapId();
      default -> throw new IllegalStateException("unexpected block " + id);
    };
  }
}
