// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.compress.BlockDecompressor;
import io.symshuffle.shuffle.compress.PacketInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.spark.FetchFailed;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * Iterates over the frames of answers that are fetched through Spark's block transfer. The head of
 * an answer tells the map output of each frame, and each frame contains the number of frames that
 * follow it, so an answer that is truncated between two frames is detected.
 *
 * <p>A map output that is missing in an answer, or has an error, is a fetch failure of this map
 * output. Used by one task thread.
 */
public final class FetchedFrames implements AutoCloseable {
  private final Iterator<Tuple2<BlockId, InputStream>> answers;
  private final Map<Long, Asked> asked;
  private final FetchFailures failures;
  private final ShuffleReadMetricsReporter metrics;
  private final BlockDecompressor decompressor = new BlockDecompressor();
  private Asked current;
  private AnswerContents contents;
  private InputStream stream;
  private long waitedNanos;

  /** Place of the current frame's map output in the answer; -1 before the first frame. */
  private int output;

  /** This map output; null before the first frame, and if this task does not read it. */
  private MapSource source;

  /** Frames of this map output that follow the current one. */
  private int followingOfOutput;

  /** Frames of the answer that follow the current one; before the first, the number of all. */
  private int following;

  /** Reads one frame. */
  @FunctionalInterface
  public interface FrameReader {
    /** Reads the next frame of the current answer; false at its end. */
    boolean read() throws IOException;
  }

  /**
   * @param answers Spark's fetcher
   * @param asked what was asked for, by the code of the range of map tasks
   * @param metrics gets the number of map outputs, as Spark counts blocks
   */
  FetchedFrames(
      Iterator<Tuple2<BlockId, InputStream>> answers,
      Map<Long, Asked> asked,
      FetchFailures failures,
      ShuffleReadMetricsReporter metrics) {
    this.answers = answers;
    this.asked = asked;
    this.failures = failures;
    this.metrics = metrics;
  }

  /** How long this has waited for Spark's fetcher, in nanoseconds. */
  public long waitedNanos() {
    return waitedNanos;
  }

  /** The map output of the current frame; for an unwanted frame, another one of the answer. */
  public MapSource source() {
    return isWanted() ? source : current.first();
  }

  /**
   * Whether this task reads the map output of the current frame. If not, skip the frame: the owner
   * also answers with map outputs of repeated attempts.
   */
  public boolean isWanted() {
    return source != null;
  }

  /** Moves to the next frame, in this answer or a later one; false if there is none. */
  public boolean next(FrameReader reader) {
    while (stream != null || nextAnswer()) {
      try {
        if (contents == null) {
          begin();
        }
        if (reader.read()) {
          return true;
        }
      } catch (IOException e) {
        throw failures.raise(current.unsent(source()), "its transfer failed: " + e.getMessage(), e);
      }
      closeStream();
    }
    return false;
  }

  /** Reads the header of a frame; null at the end of the answer. */
  public ByteBuffer header(byte[] header) throws IOException {
    if (following > 0 && followingOfOutput == 0) {
      output++;
      followingOfOutput = contents.frames()[output];
      source = current.sources().get(contents.mapIds()[output]);
    }
    followingOfOutput--;
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
  public void checkFollowing(int after) {
    if (after < 0 || after != following - 1) {
      throw corrupt(
          "%d frames follow, but %d followed the previous frame".formatted(after, following));
    }
    following = after;
  }

  /** The bytes after the header. */
  public InputStream stream() {
    return stream;
  }

  /** Ends the task with a fetch failure for the current map output. */
  public RuntimeException corrupt(String found) {
    throw failures.raise(source(), found, null);
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
        throw failures.raise(
            current.unsent(source()), "cannot close its transfer: " + e.getMessage(), e);
      }
      stream = null;
    }
  }

  private boolean nextAnswer() {
    Tuple2<BlockId, InputStream> next;
    long start = System.nanoTime();
    try {
      if (!answers.hasNext()) {
        return false;
      }
      next = answers.next();
    } catch (Exception e) {
      if (e instanceof FetchFailedException failure) {
        throw named(failure);
      }
      throw e;
    } finally {
      waitedNanos += System.nanoTime() - start;
    }
    current = requireNonNull(asked.get(code(next._1())), "an answer that nobody has asked for");
    contents = null;
    source = null;
    stream = next._2();
    return true;
  }

  /** Reads the head of the answer. */
  private void begin() throws IOException {
    AnswerContents found = AnswerContents.read(stream, current.range());
    Set<Long> missing = new TreeSet<>(current.sources().keySet());
    for (long mapId : found.mapIds()) {
      missing.remove(mapId);
    }
    if (!missing.isEmpty()) {
      throw failures.raise(
          current.sources().get(missing.iterator().next()),
          "it is missing in the answer of executor " + current.server().executorId(),
          null);
    }
    // Spark has counted one block. As in its batch fetch, all partitions of a map output are one.
    metrics.incRemoteBlocksFetched(current.sources().size() - 1L);
    contents = found;
    output = -1;
    followingOfOutput = 0;
    following = found.allFrames();
    stream = new PacketInputStream(stream, decompressor);
  }

  /**
   * The failure of Spark's fetcher with our message, which names the host, and with the address
   * from Spark's tracker, which the fetcher may not know ({@link SparkFetcher#byNetwork}).
   */
  private RuntimeException named(FetchFailedException failure) {
    FetchFailed reason = (FetchFailed) failure.toTaskFailedReason();
    Throwable cause = failure.getCause();
    String found = cause == null ? reason.message() : cause.getMessage();
    Asked failed = requireNonNull(asked.get(reason.mapId()), "a failure that nobody has asked for");
    throw failures.raise(failed.unsent(failed.first()), "its transfer failed: " + found, failure);
  }

  /** The code of the range of map tasks in a block id of Spark's fetcher. */
  private static long code(BlockId id) {
    if (id instanceof ShuffleBlockBatchId batch) {
      return batch.mapId();
    }
    throw new IllegalStateException("unexpected block " + id);
  }
}
