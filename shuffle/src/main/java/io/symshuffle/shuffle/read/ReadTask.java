// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.host.WindowCopies;
import io.symshuffle.shuffle.directory.CorruptControlException;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.DiskNotVisibleException;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.output.OutputLookup;
import io.symshuffle.shuffle.runtime.FetchFailureKind;
import io.symshuffle.shuffle.runtime.PeerPages;
import io.symshuffle.shuffle.runtime.ShuffleStats;
import io.symshuffle.shuffle.runtime.ShuffleUsage;
import java.io.IOException;
import java.util.Optional;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;

/**
 * The state that the parts of one reader share: the request, access to map outputs, counters and
 * fetch failures.
 *
 * @param copies how to read windows without mapping them, if that is faster here
 */
public record ReadTask(
    ReadRequest request,
    OutputLookup outputs,
    boolean verify,
    ShuffleReadMetricsReporter metrics,
    ShuffleStats stats,
    PeerPages peerPages,
    Optional<WindowCopies> copies,
    FetchFailures failures) {
  /** Creates a task whose fetch failures name the first partition of the request, as Spark's do. */
  public static ReadTask of(
      ReadRequest request,
      OutputLookup outputs,
      boolean verify,
      ShuffleReadMetricsReporter metrics,
      ShuffleStats stats,
      PeerPages peerPages,
      Optional<WindowCopies> copies) {
    FetchFailures failures =
        new FetchFailures(request.shuffleId(), request.startPartition(), stats);
    return new ReadTask(request, outputs, verify, metrics, stats, peerPages, copies, failures);
  }

  /** The counters of the shuffle. */
  public ShuffleUsage.OfShuffle usage() {
    return stats.usage().of(request.shuffleId());
  }

  /**
   * Finds a map output; throws a fetch failure if it is not in its owner's directory.
   *
   * @throws CorruptIndexException if its index is damaged
   * @throws CorruptControlException if the owner's directory is damaged
   * @throws IOException if its index is on disk and cannot be read
   */
  MapOutput find(LocalSource source) throws IOException {
    return outputs
        .find(source.pe(), new MapOutputId(request.shuffleId(), source.map().mapId()))
        .orElseThrow(
            () ->
                failures.raise(
                    FetchFailureKind.MISSING,
                    source.map(),
                    "it is not in the directory of PE " + source.pe(),
                    null));
  }

  /** Inspects a map output. */
  @FunctionalInterface
  public interface Inspector {
    /** Returns whether all requested data of the map output can be read in place. */
    boolean inspect(MapOutput output) throws IOException;
  }

  /**
   * Finds and inspects a map output; any error is a fetch failure.
   *
   * @return the inspector's answer; false if the index is on a disk that this process does not see
   */
  public boolean inspect(LocalSource source, Inspector inspector) {
    try {
      return inspector.inspect(find(source));
    } catch (DiskNotVisibleException e) {
      return false;
    } catch (CorruptIndexException | CorruptControlException | HeapException | IOException e) {
      throw failures.raise(source.map(), e);
    } catch (InternalError e) {
      throw failures.truncated(source.map(), e);
    }
  }
}
