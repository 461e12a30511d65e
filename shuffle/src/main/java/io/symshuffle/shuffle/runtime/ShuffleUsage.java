// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.layout.Tier;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters per shuffle in this process, for the page in Spark's UI. Thread-safe; counters only
 * increase. The last {@value #MAX_SHUFFLES} shuffles are kept.
 */
public final class ShuffleUsage {
  /** Maximum number of shuffles; ids increase, so the lowest are the oldest. */
  public static final int MAX_SHUFFLES = 1000;

  private final ConcurrentSkipListMap<Integer, OfShuffle> shuffles = new ConcurrentSkipListMap<>();

  /** The counters of one shuffle. Bytes are counted as in {@link ShuffleStats}. */
  public static final class OfShuffle {
    private final LongAdder[] bytes = adders();
    private final LongAdder[] runs = adders();
    private final LongAdder mapOutputs = new LongAdder();
    private final LongAdder partitionBytes = new LongAdder();
    private final LongAdder reportedBytes = new LongAdder();
    private final LongAdder inPlace = new LongAdder();
    private final LongAdder transferred = new LongAdder();

    private OfShuffle() {}

    /** Counts a run that was written. */
    void wrote(Tier tier, long runBytes) {
      bytes[tier.code()].add(runBytes);
      runs[tier.code()].increment();
    }

    /** Counts a published map output. */
    void published() {
      mapOutputs.increment();
    }

    /**
     * Counts the sizes of a map output's partitions.
     *
     * @param bytes their sum
     * @param reported their sum as it was reported to Spark, see {@link #bytesPerReportedByte}
     */
    public void reported(long bytes, long reported) {
      partitionBytes.add(bytes);
      reportedBytes.add(reported);
    }

    /**
     * How many bytes blocks have for each byte of the sizes that Spark knows, which are estimates
     * of compressed sizes; empty if this process has written no map output of the shuffle.
     */
    public OptionalDouble bytesPerReportedByte() {
      long reported = reportedBytes.sum();
      return reported == 0
          ? OptionalDouble.empty()
          : OptionalDouble.of(Math.max(1, partitionBytes.sum() / (double) reported));
    }

    /** Counts bytes that were read in place, from this or another PE. */
    public void readInPlace(long blockBytes) {
      inPlace.add(blockBytes);
    }

    /** Counts bytes that were fetched through Spark's block transfer. */
    public void readTransfer(long blockBytes) {
      transferred.add(blockBytes);
    }

    /** Bytes written to a tier. */
    public long bytes(Tier tier) {
      return bytes[tier.code()].sum();
    }

    /** Runs written to a tier. */
    public long runs(Tier tier) {
      return runs[tier.code()].sum();
    }

    /** Map outputs published. */
    public long mapOutputs() {
      return mapOutputs.sum();
    }

    /** Bytes read in place. */
    public long inPlace() {
      return inPlace.sum();
    }

    /** Bytes fetched through Spark's block transfer. */
    public long transferred() {
      return transferred.sum();
    }

    private static LongAdder[] adders() {
      LongAdder[] adders = new LongAdder[Tier.values().length];
      for (int i = 0; i < adders.length; i++) {
        adders[i] = new LongAdder();
      }
      return adders;
    }
  }

  /** The counters of a shuffle, created at the first call. */
  public OfShuffle of(int shuffleId) {
    OfShuffle known = shuffles.get(shuffleId);
    if (known == null) {
      known = shuffles.computeIfAbsent(shuffleId, id -> new OfShuffle());
      while (shuffles.size() > MAX_SHUFFLES) {
        shuffles.pollFirstEntry();
      }
    }
    return requireNonNull(known, "no counters");
  }

  /** The counters of all shuffles that are kept, by shuffle id; a live view. */
  public Map<Integer, OfShuffle> all() {
    return shuffles;
  }
}
