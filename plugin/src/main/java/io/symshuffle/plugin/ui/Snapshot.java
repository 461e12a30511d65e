// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static java.util.Objects.requireNonNull;

import io.symshuffle.plugin.usage.HeapUse;
import java.util.List;
import java.util.Map;

/**
 * The content of the page at one moment. Stored as JSON by the History Server.
 *
 * @param pes in the order of their numbers
 * @param heap use of the heaps over time
 * @param shuffles the latest first
 * @param delegated shuffles that use Spark's sort shuffle, by reason
 * @param faults the latest first
 * @param totals sums over everything, also what is no longer in the lists
 */
public record Snapshot(
    List<Pe> pes,
    List<HeapPoint> heap,
    List<Shuffle> shuffles,
    Map<String, Long> delegated,
    List<Fault> faults,
    Totals totals) {

  /**
   * One PE.
   *
   * @param pe its number; -1 if it could not join
   * @param gpu name of its GPU; empty without a device heap
   * @param linkBytesPerSecond what the NVLinks of its GPU can carry in one direction; 0 if unknown
   * @param state as in {@link PeEvent}
   * @param heapFolder the folder that contains its host heap
   * @param note a sentence about a problem
   */
  public record Pe(
      String executorId,
      int pe,
      String host,
      String gpu,
      long linkBytesPerSecond,
      String state,
      String heapFolder,
      String note,
      HeapUse heap) {}

  /**
   * Use of all heaps at one moment.
   *
   * @param time milliseconds since 1970
   * @param hostBytes in use in host heaps
   * @param deviceBytes in use in device heaps
   * @param diskBytes written to the DISK tier so far
   */
  public record HeapPoint(long time, long hostBytes, long deviceBytes, long diskBytes) {}

  /**
   * One shuffle.
   *
   * @param stage name of the stage that wrote it; empty if unknown
   * @param bytes written to each tier, at its code
   * @param runs written
   * @param mapOutputs published
   * @param inPlaceBytes read in place on the same host
   * @param transferBytes read through Spark's block transfer
   * @param writeNanos total time that tasks spent writing it
   */
  public record Shuffle(
      int shuffleId,
      String stage,
      List<Long> bytes,
      long runs,
      long mapOutputs,
      long inPlaceBytes,
      long transferBytes,
      long writeNanos) {}

  /**
   * A block that could not be read, as reported to Spark's scheduler.
   *
   * @param time milliseconds since 1970
   * @param executorId the executor that wrote the block; empty if Spark did not know it
   */
  public record Fault(long time, int shuffleId, String executorId, String message) {}

  /**
   * Sums over the whole application.
   *
   * @param pes PEs that have joined
   * @param writtenBytes written by shuffles
   * @param diskBytes the part of it on DISK
   * @param inPlaceBytes read in place on the same host
   * @param transferBytes read through Spark's block transfer
   * @param faults blocks that could not be read
   */
  public record Totals(
      long pes,
      long writtenBytes,
      long diskBytes,
      long inPlaceBytes,
      long transferBytes,
      long faults) {}

  public Snapshot {
    pes = List.copyOf(pes);
    heap = List.copyOf(heap);
    shuffles = List.copyOf(shuffles);
    delegated = Map.copyOf(delegated);
    faults = List.copyOf(faults);
    requireNonNull(totals, "totals is null");
  }
}
