// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.usage;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import java.util.List;

/**
 * What an executor has done for a shuffle since its start; a later report replaces an earlier one.
 *
 * @param bytes written to each tier, at its number in layouts: {@link #HOST}, {@link #DISK}, and 2
 *     for DEVICE
 * @param runs written to each tier, in the same order
 * @param mapOutputs published
 * @param inPlace bytes read in place
 * @param transferred bytes that came through Spark's block transfer
 */
public record ShuffleUse(
    int shuffleId,
    List<Long> bytes,
    List<Long> runs,
    long mapOutputs,
    long inPlace,
    long transferred)
    implements Serializable {
  /** Number of the HOST tier. */
  public static final int HOST = 0;

  /** Number of the DISK tier. */
  public static final int DISK = 1;

  /** How many tiers there are. */
  public static final int TIERS = 3;

  public ShuffleUse {
    bytes = checked(bytes, "bytes");
    runs = checked(runs, "runs");
  }

  /** A copy whose elements have their declared type even if it was deserialized. */
  private static List<Long> checked(List<Long> numbers, String name) {
    List<Long> copy = List.copyOf(requireNonNull(numbers, name));
    for (Object number : copy) {
      if (!(number instanceof Long)) {
        throw new IllegalArgumentException("%s contains %s".formatted(name, number));
      }
    }
    return copy;
  }

  /** Returns a number that grows with every change. */
  public long activity() {
    return sum(bytes) + mapOutputs + inPlace + transferred;
  }

  /** Adds numbers up. */
  public static long sum(Iterable<Long> numbers) {
    long sum = 0;
    for (long number : numbers) {
      sum += number;
    }
    return sum;
  }
}
