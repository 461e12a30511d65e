// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.plugin.ui;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.core.ShuffleUsage;
import io.symshuffle.shuffle.layout.Tier;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What one executor did for one shuffle since its start; a later report replaces an earlier one.
 *
 * @param shuffleId Spark's number of the shuffle
 * @param bytes written to each tier, at {@link Tier#code}
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
    Map<String, Long> transferred) {

  /** Copies. */
  public ShuffleUse {
    bytes = List.copyOf(requireNonNull(bytes, "bytes is null"));
    runs = List.copyOf(requireNonNull(runs, "runs is null"));
    inPlace = new TreeMap<>(requireNonNull(inPlace, "inPlace is null"));
    transferred = new TreeMap<>(requireNonNull(transferred, "transferred is null"));
  }

  static ShuffleUse of(int shuffleId, ShuffleUsage.OfShuffle usage) {
    Long[] bytes = new Long[Tier.values().length];
    Long[] runs = new Long[Tier.values().length];
    for (Tier tier : Tier.values()) {
      bytes[tier.code()] = usage.bytes(tier);
      runs[tier.code()] = usage.runs(tier);
    }
    return new ShuffleUse(
        shuffleId,
        List.of(bytes),
        List.of(runs),
        usage.mapOutputs(),
        usage.inPlace(),
        usage.transferred());
  }

  /** A number that grows with every change. */
  long activity() {
    return sum(bytes) + mapOutputs + sum(inPlace.values()) + sum(transferred.values());
  }

  static long sum(Iterable<Long> numbers) {
    long sum = 0;
    for (long number : numbers) {
      sum += number;
    }
    return sum;
  }
}
