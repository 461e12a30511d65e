// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.compress.BlockDecompressor;
import io.symshuffle.shuffle.compress.PacketInputStream;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.runtime.FetchFailureKind;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.apache.spark.FetchFailed;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.Iterator$;

/**
 * Iterates over the frames of answers that are fetched through Spark's block transfer. The head of
 * an answer tells the map output of each frame, and each frame contains the number of frames that
 * follow it, so an answer that is truncated between two frames is detected.
 *
 * <p>When all answers are read, this asks again for the map outputs that they have left out: the
 * same executor, whose answer told their sizes, or their owner, if the executor that answers for
 * its host has not listed them, since it cannot read them, such as files on a disk that only the
 * owner sees.
 *
 * <p>A map output that is missing in its owner's answer, or has an error, is a fetch failure of
 * this map output. Used by one task thread.
 */
public final class FetchedFrames implements AutoCloseable {
  /**
   * How often this asks again. Once is enough for sizes that are known, and twice for an owner's
   * map outputs, unless map outputs have become larger, because they have moved, or attempts of
   * tasks that Spark has discarded have published others in between.
   */
  private static final int MAX_ROUNDS = 5;

  private final Fetcher fetcher;
  private final FetchFailures failures;
  private final ShuffleReadMetricsReporter metrics;
  private LeftOut leftOut = new LeftOut();

  /** Null after the last frame. */
  private BlockDecompressor decompressor = new BlockDecompressor();

  private FetchPlan plan;

  /** How often this has asked again. */
  private int rounds;

  private Iterator<Tuple2<BlockId, InputStream>> answers;

  /** The most bytes of frames that the current answer can have. */
  private long maxBytes;

  /** Map outputs that were read, less the blocks that Spark has counted. */
  private long uncounted;

  private OutputRequest current;
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

  /** Starts Spark's fetcher. */
  @FunctionalInterface
  interface Fetcher {
    /**
     * Starts to fetch the answers to the requests of a plan; throws a fetch failure if an executor
     * that it asks is lost.
     */
    Iterator<Tuple2<BlockId, InputStream>> fetch(FetchPlan plan);
  }

  /**
   * Starts to fetch.
   *
   * @param fetcher called for {@code plan}, and for each further plan after all answers to the one
   *     before were read
   * @param plan the first requests
   * @param metrics gets the number of map outputs, as Spark counts blocks
   */
  FetchedFrames(
      Fetcher fetcher, FetchPlan plan, FetchFailures failures, ShuffleReadMetricsReporter metrics) {
    this.fetcher = fetcher;
    this.plan = plan;
    this.answers = fetcher.fetch(plan);
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
        throw failures.raise(
            FetchFailureKind.TRANSFER,
            current.unsent(source()),
            "its transfer failed: " + e.getMessage(),
            e);
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
    throw failures.raise(FetchFailureKind.DAMAGED, source(), found, null);
  }

  @Override
  public void close() {
    BlockDecompressor open = decompressor;
    if (open != null) {
      open.close();
    }
    closeStream();
  }

  private void closeStream() {
    if (stream != null) {
      try {
        stream.close();
      } catch (IOException e) {
        throw failures.raise(
            FetchFailureKind.TRANSFER,
            current.unsent(source()),
            "cannot close its transfer: " + e.getMessage(),
            e);
      }
      stream = null;
    }
  }

  private boolean nextAnswer() {
    while (!ofSpark(answers::hasNext)) {
      FetchPlan further = leftOut.plan(plan.request());
      if (further.requests().isEmpty()) {
        end(further);
        return false;
      }
      answers = fetcher.fetch(further);
      plan = further;
      rounds++;
    }
    Tuple2<BlockId, InputStream> next = ofSpark(answers::next);
    long code = code(next._1());
    current = requireNonNull(plan.asked().get(code), "an answer that nobody has asked for");
    maxBytes = MapIdRange.maxBytes(code);
    contents = null;
    source = null;
    stream = next._2();
    return true;
  }

  /**
   * Drops requests, answers and buffers: Spark keeps this object until the task ends, and a task
   * may read with many, one after the other.
   *
   * @param none a plan without requests
   */
  private void end(FetchPlan none) {
    close();
    decompressor = null;
    leftOut = new LeftOut();
    plan = none;
    answers = Iterator$.MODULE$.empty();
    current = null;
    contents = null;
  }

  /** Waits for Spark's fetcher. */
  private <T> T ofSpark(Supplier<T> call) {
    long start = System.nanoTime();
    try {
      return call.get();
    } catch (Exception e) {
      if (e instanceof FetchFailedException failure) {
        throw named(failure);
      }
      throw e;
    } finally {
      waitedNanos += System.nanoTime() - start;
    }
  }

  /** Reads the head of the answer. */
  private void begin() throws IOException {
    AnswerContents found = AnswerContents.read(stream, current.range());
    Set<Long> absent = new TreeSet<>(current.sources().keySet());
    for (long mapId : found.mapIds()) {
      absent.remove(mapId);
    }
    String server = current.server().address().executorId();
    Set<Long> unreadable = new TreeSet<>();
    for (long mapId : absent) {
      MapSource source = current.sources().get(mapId);
      boolean isUnreadable = !found.leftOut().containsKey(mapId);
      if (isUnreadable && source.address().equals(current.server().address())) {
        throw failures.raise(
            FetchFailureKind.MISSING,
            source,
            "it is missing from the answer of executor " + server,
            null);
      }
      if (rounds == MAX_ROUNDS) {
        throw failures.raise(
            FetchFailureKind.MISSING,
            current.unsent(source),
            "executor %s has left it out of %d answers".formatted(server, rounds + 1),
            null);
      }
      if (isUnreadable) {
        unreadable.add(mapId);
      }
    }
    leftOut.add(current, found);
    leftOut.addUnreadable(current, unreadable, maxBytes / current.sources().size());
    count(current.sources().size() - absent.size());
    contents = found;
    output = -1;
    followingOfOutput = 0;
    following = found.allFrames();
    stream = new PacketInputStream(stream, decompressor);
  }

  /**
   * Counts the map outputs in an answer. As in Spark's batch fetch, all partitions of a map output
   * are one block. Spark has counted one for the answer, and its metrics never decrease.
   */
  private void count(int mapOutputs) {
    uncounted += mapOutputs - 1;
    if (uncounted > 0) {
      metrics.incRemoteBlocksFetched(uncounted);
      uncounted = 0;
    }
  }

  /**
   * The failure of Spark's fetcher with our message, which names the host, and with the address
   * from Spark's tracker, which the fetcher may not know ({@link SparkFetcher#byNetwork}).
   */
  private RuntimeException named(FetchFailedException failure) {
    FetchFailed reason = (FetchFailed) failure.toTaskFailedReason();
    Throwable cause = failure.getCause();
    String found = cause == null ? reason.message() : cause.getMessage();
    OutputRequest failed =
        requireNonNull(plan.asked().get(reason.mapId()), "a failure that nobody has asked for");
    throw failures.raise(
        FetchFailureKind.TRANSFER,
        failed.unsent(failed.first()),
        "its transfer failed: " + found,
        failure);
  }

  /** The code of the range of map tasks in a block id of Spark's fetcher. */
  private static long code(BlockId id) {
    if (id instanceof ShuffleBlockBatchId batch) {
      return batch.mapId();
    }
    throw new IllegalStateException("unexpected block " + id);
  }
}
