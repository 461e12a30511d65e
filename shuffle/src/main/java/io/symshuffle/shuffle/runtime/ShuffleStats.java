// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.runtime;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.layout.Tier;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** The counters of one process since its start. They are thread-safe and only increase. */
public final class ShuffleStats {
  private final Map<ShuffleCounter, LongAdder> counters = new EnumMap<>(ShuffleCounter.class);
  private final LongAdder shufflesRegistered = new LongAdder();
  private final Map<String, LongAdder> delegated = new ConcurrentHashMap<>();
  private final ShuffleUsage usage = new ShuffleUsage();

  public ShuffleStats() {
    for (ShuffleCounter counter : ShuffleCounter.values()) {
      counters.put(counter, new LongAdder());
    }
  }

  /** Returns the value of a counter. */
  public long sum(ShuffleCounter counter) {
    return adder(counter).sum();
  }

  /** Adds to a counter: bytes, nanoseconds, or a number. */
  public void add(ShuffleCounter counter, long n) {
    adder(counter).add(n);
  }

  private LongAdder adder(ShuffleCounter counter) {
    return requireNonNull(counters.get(counter), "no counter");
  }

  /** Counts time of a thread since a point in time, which {@link System#nanoTime} gave. */
  public void addSince(ShuffleCounter counter, long startNanos) {
    add(counter, System.nanoTime() - startNanos);
  }

  /** Counts a run, or the tables of a batch, that was written to a tier. */
  public void wrote(int shuffleId, Tier tier, long bytes) {
    add(ShuffleCounter.runsWritten(tier), 1);
    add(ShuffleCounter.bytesWritten(tier), bytes);
    usage.of(shuffleId).wrote(tier, bytes);
  }

  /** Counts a published map output. */
  public void published(int shuffleId) {
    add(ShuffleCounter.MAP_OUTPUTS_PUBLISHED, 1);
    usage.of(shuffleId).published();
  }

  /**
   * Counts blocks that were read in place: from a mapped heap, from a run on a disk of this host,
   * or from this PE's window of the device heap.
   */
  public void read(Tier tier, long blocks, long bytes) {
    add(ShuffleCounter.BLOCKS_READ, blocks);
    add(ShuffleCounter.bytesRead(tier), bytes);
  }

  /** Counts blocks that a kernel pulled from the device heap of another PE. */
  public void pulled(long blocks, long bytes) {
    add(ShuffleCounter.BLOCKS_READ, blocks);
    add(ShuffleCounter.PULLED_BYTES, bytes);
  }

  /** Counts blocks that were fetched through Spark's block transfer. */
  public void readTransfer(long blocks, long bytes) {
    add(ShuffleCounter.BLOCKS_READ, blocks);
    add(ShuffleCounter.TRANSFER_BYTES_READ, bytes);
  }

  /** Counts a shuffle that uses the symmetric heap. */
  public void registered() {
    shufflesRegistered.increment();
  }

  /** Counts a shuffle that uses Spark's sort shuffle, by reason. */
  public void delegated(String reason) {
    delegated.computeIfAbsent(reason, r -> new LongAdder()).increment();
  }

  /** Counters per shuffle. */
  public ShuffleUsage usage() {
    return usage;
  }

  /** Shuffles that use the symmetric heap (counted on the driver). */
  public long shufflesRegistered() {
    return shufflesRegistered.sum();
  }

  /** Shuffles that use Spark's sort shuffle, by reason (counted on the driver). */
  public Map<String, Long> delegatedByReason() {
    Map<String, Long> sums = new TreeMap<>();
    delegated.forEach((reason, adder) -> sums.put(reason, adder.sum()));
    return sums;
  }

  /** All counters that are not 0 on one line, for the log. */
  public String summary() {
    String sums =
        Arrays.stream(ShuffleCounter.values())
            .filter(counter -> sum(counter) != 0)
            .map(counter -> counter.metric() + " " + sum(counter))
            .collect(Collectors.joining(", "));
    return sums.isEmpty() ? "none" : sums;
  }
}
