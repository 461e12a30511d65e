// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.usage;

import java.io.Serializable;
import java.util.Map;
import java.util.TreeMap;

/**
 * What an executor holds and has done.
 *
 * @param capacityBytes size of the host heap
 * @param usedBytes host heap in use by map outputs
 * @param backedBytes host heap with memory behind it
 * @param deviceCapacityBytes size of the device heap; 0 without one
 * @param deviceUsedBytes device heap in use
 * @param diskBytes bytes written to the DISK tier since its start
 * @param servedBytes bytes sent through Spark's block transfer since its start
 * @param fetchFailures blocks that could not be read since its start, by the names of the kinds of
 *     failures
 */
public record HeapUse(
    long capacityBytes,
    long usedBytes,
    long backedBytes,
    long deviceCapacityBytes,
    long deviceUsedBytes,
    long diskBytes,
    long servedBytes,
    Map<String, Long> fetchFailures)
    implements Serializable {
  public HeapUse {
    fetchFailures = new TreeMap<>(fetchFailures);
  }

  /** Of an executor that has not reported yet. */
  public static final HeapUse NONE = new HeapUse(0, 0, 0, 0, 0, 0, 0, Map.of());

  /** Returns what both hold and have done. */
  public HeapUse plus(HeapUse other) {
    Map<String, Long> failures = new TreeMap<>(fetchFailures);
    other.fetchFailures.forEach((kind, number) -> failures.merge(kind, number, Long::sum));
    return new HeapUse(
        capacityBytes + other.capacityBytes,
        usedBytes + other.usedBytes,
        backedBytes + other.backedBytes,
        deviceCapacityBytes + other.deviceCapacityBytes,
        deviceUsedBytes + other.deviceUsedBytes,
        diskBytes + other.diskBytes,
        servedBytes + other.servedBytes,
        failures);
  }

  /** Returns the same after the executor's end: what it has done, but nothing that it holds. */
  public HeapUse afterEnd() {
    return new HeapUse(0, 0, 0, 0, 0, diskBytes, servedBytes, fetchFailures);
  }
}
