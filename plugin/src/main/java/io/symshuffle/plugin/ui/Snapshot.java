// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import io.symshuffle.plugin.metrics.HeapUse;
import java.util.List;
import java.util.Map;

/**
 * All that the page shows, at one moment. Kept as JSON by the History Server.
 *
 * @param pes in the order of their numbers
 * @param heap use of the heaps over time
 * @param shuffles the latest first
 * @param delegated shuffles left to Spark's sort shuffle, by reason
 * @param flows who read what from whom
 * @param faults the latest first
 * @param readMillis time during which stages that read shuffles ran, together
 */
public record Snapshot(
    List<Pe> pes,
    List<HeapPoint> heap,
    List<Shuffle> shuffles,
    Map<String, Long> delegated,
    List<Flow> flows,
    List<Fault> faults,
    long readMillis) {

  /**
   * One PE.
   *
   * @param executorId Spark's id
   * @param pe its number; -1 when it could not join
   * @param host where it runs
   * @param gpu name of its GPU; empty without a device heap
   * @param linkBytesPerSecond what the NVLinks of its GPU carry one way; 0 when not known
   * @param state as in {@link PeEvent}
   * @param heapFolder where its host heap lies
   * @param note what is not as it should be
   * @param heap its latest numbers
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
   * @param shuffleId Spark's number
   * @param stage name of the stage that wrote it; empty if unknown
   * @param bytes written to each tier, at its code
   * @param runs written
   * @param mapOutputs published
   * @param inPlaceBytes read in place on the same host
   * @param transferBytes read through Spark's block transfer
   * @param writeNanos time that tasks spent writing it, together
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
   * Bytes between two PEs.
   *
   * @param reader PE that read
   * @param owner PE that had written
   * @param inPlaceBytes read in place
   * @param transferBytes read through Spark's block transfer
   * @param pulledBytes that of those in place which one GPU read from the other
   * @param linkBytesPerSecond what the slower one of the two GPUs' links carry; 0 when not known
   */
  public record Flow(
      int reader,
      int owner,
      long inPlaceBytes,
      long transferBytes,
      long pulledBytes,
      long linkBytesPerSecond) {}

  /**
   * A block that could not be read, as Spark's scheduler heard of it.
   *
   * @param time milliseconds since 1970
   * @param shuffleId of which shuffle
   * @param executorId whose map output it was; empty if Spark knew no place
   * @param message what was wrong
   */
  public record Fault(long time, int shuffleId, String executorId, String message) {}

  /** Copies. */
  public Snapshot {
    pes = List.copyOf(pes);
    heap = List.copyOf(heap);
    shuffles = List.copyOf(shuffles);
    delegated = Map.copyOf(delegated);
    flows = List.copyOf(flows);
    faults = List.copyOf(faults);
  }
}
