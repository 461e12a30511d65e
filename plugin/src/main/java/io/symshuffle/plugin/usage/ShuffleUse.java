// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.usage;

import static java.util.Objects.requireNonNull;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What an executor has done for a shuffle since its start; a later report replaces an earlier one.
 *
 * @param shuffleId Spark's shuffle id
 * @param bytes written to each tier, at its number in layouts: {@link #HOST}, {@link #DISK}, and 2
 *     for DEVICE
 * @param runs written to each tier, in the same order
 * @param mapOutputs published
 * @param inPlace bytes read in place, by the PE that wrote them
 * @param transferred bytes that came through Spark's block transfer, by the executor that wrote
 *     them
 */
public record ShuffleUse(
    int shuffleId,
    List<Long> bytes,
    List<Long> runs,
    long mapOutputs,
    Map<Integer, Long> inPlace,
    Map<String, Long> transferred)
    implements Serializable {
  /** Number of the HOST tier. */
  public static final int HOST = 0;

  /** Number of the DISK tier. */
  public static final int DISK = 1;

  /** How many tiers there are. */
  public static final int TIERS = 3;

  /** Checks and copies. */
  public ShuffleUse {
    bytes = checked(bytes, "bytes");
    runs = checked(runs, "runs");
    inPlace = checked(inPlace, Integer.class, "inPlace");
    transferred = checked(transferred, String.class, "transferred");
  }

  /** A copy whose elements have their declared type even if it was deserialized. */
  private static List<Long> checked(List<Long> numbers, String name) {
    List<Long> copy = List.copyOf(requireNonNull(numbers, name));
    for (Object number : copy) {
      requireType(number, Long.class, name);
    }
    return copy;
  }

  /** A copy whose entries have their declared types even if it was deserialized. */
  static <K> Map<K, Long> checked(Map<K, Long> numbers, Class<K> key, String name) {
    Map<K, Long> copy = new TreeMap<>(requireNonNull(numbers, name));
    for (Map.Entry<?, ?> entry : copy.entrySet()) {
      requireType(entry.getKey(), key, name);
      requireType(entry.getValue(), Long.class, name);
    }
    return copy;
  }

  private static void requireType(Object value, Class<?> type, String name) {
    if (!type.isInstance(value)) {
      throw new IllegalArgumentException("%s contains %s".formatted(name, value));
    }
  }

  /** {@return a number that grows with every change} */
  public long activity() {
    return sum(bytes) + mapOutputs + sum(inPlace.values()) + sum(transferred.values());
  }

  /**
   * Adds numbers up.
   *
   * @param numbers the numbers
   * @return their sum
   */
  public static long sum(Iterable<Long> numbers) {
    long sum = 0;
    for (long number : numbers) {
      sum += number;
    }
    return sum;
  }
}
