// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.directory.CorruptControlException;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.runtime.FetchFailureKind;
import io.symshuffle.shuffle.runtime.ShuffleCounter;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedByInterruptException;
import org.apache.spark.shuffle.FetchFailedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports missing or damaged blocks to Spark, so that it recomputes them. */
public final class FetchFailures {
  private static final Logger LOG = LoggerFactory.getLogger(FetchFailures.class);

  private final int shuffleId;
  private final int firstPartition;
  private final ShuffleStats stats;

  /**
   * @param firstPartition the partition that the failures name
   */
  FetchFailures(int shuffleId, int firstPartition, ShuffleStats stats) {
    this.shuffleId = shuffleId;
    this.firstPartition = firstPartition;
    this.stats = stats;
  }

  /**
   * Throws Spark's fetch failure. The exception is created and thrown in one step, since its
   * constructor already marks the task as failed. A killed task whose read was interrupted has not
   * found anything: it ends with another exception.
   *
   * @return never returns; declared so that callers can write {@code throw}
   */
  public RuntimeException raise(
      FetchFailureKind kind, MapSource source, String found, Throwable cause) {
    if (cause instanceof ClosedByInterruptException interrupted) {
      throw new UncheckedIOException(
          "the task was interrupted while it read map output %d of shuffle %d"
              .formatted(source.mapId(), shuffleId),
          interrupted);
    }
    stats.add(ShuffleCounter.FETCH_FAILURES, 1);
    stats.add(kind.counter(), 1);
    String message =
        "map output %d of shuffle %d of executor %s on %s cannot be read (from partition %d): %s"
            .formatted(
                source.mapId(),
                shuffleId,
                source.address().executorId(),
                source.address().hostPort(),
                firstPartition,
                found);
    LOG.warn("{}; Spark will recompute it", message);
    throw FetchFailures.<RuntimeException>unchecked(
        new FetchFailedException(
            source.address(),
            shuffleId,
            source.mapId(),
            source.mapIndex(),
            firstPartition,
            message,
            cause));
  }

  /**
   * Throws Spark's fetch failure for a map output whose data was found damaged, or could not be
   * read in place.
   *
   * @return never returns; declared so that callers can write {@code throw}
   */
  public RuntimeException raise(MapSource source, Exception cause) {
    boolean isDamage =
        cause instanceof CorruptIndexException || cause instanceof CorruptControlException;
    FetchFailureKind kind = isDamage ? FetchFailureKind.DAMAGED : FetchFailureKind.UNREADABLE;
    throw raise(kind, source, cause.getMessage(), cause);
  }

  /**
   * Throws Spark's fetch failure for a map output whose owner's heap file lacks a page. Spark would
   * end the executor because of the error, also if it were only the cause of the failure.
   *
   * @param error what Java throws for a missing page
   * @return never returns; declared so that callers can write {@code throw}
   */
  public RuntimeException truncated(MapSource source, InternalError error) {
    LOG.debug("A page is missing", error);
    throw raise(FetchFailureKind.UNREADABLE, source, "the file of its heap was truncated", null);
  }

  /** Throws a checked exception unchecked, since Scala's iterators do not declare Spark's. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Exception> E unchecked(Exception e) throws E {
    throw (E) e;
  }
}
