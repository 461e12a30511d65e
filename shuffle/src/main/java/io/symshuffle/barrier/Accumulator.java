// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Reduces blocks of PEs, in the order of their numbers. In arrays, since the JVM uses vector
 * instructions for them. Used by one thread.
 *
 * @param add adds as many elements of {@code next} to {@code sum}
 */
record Accumulator(MemorySegment sum, MemorySegment next, ElementType type, IntConsumer add) {

  /** Creates one for blocks of at most a number of bytes. */
  static Accumulator of(Reduction reduction, ElementType type, int bytes) {
    int n = bytes / type.bytes();
    return switch (type) {
      case FLOAT -> {
        float[] a = new float[n];
        float[] b = new float[n];
        yield new Accumulator(
            MemorySegment.ofArray(a), MemorySegment.ofArray(b), type, floats(reduction, a, b));
      }
      case DOUBLE -> {
        double[] a = new double[n];
        double[] b = new double[n];
        yield new Accumulator(
            MemorySegment.ofArray(a), MemorySegment.ofArray(b), type, doubles(reduction, a, b));
      }
      case INT -> {
        int[] a = new int[n];
        int[] b = new int[n];
        yield new Accumulator(
            MemorySegment.ofArray(a), MemorySegment.ofArray(b), type, ints(reduction, a, b));
      }
      case LONG -> {
        long[] a = new long[n];
        long[] b = new long[n];
        yield new Accumulator(
            MemorySegment.ofArray(a), MemorySegment.ofArray(b), type, longs(reduction, a, b));
      }
    };
  }

  /**
   * Reduces a block, and stores the result in the memory of each PE.
   *
   * @param offset its first byte in the memory of each PE
   */
  void reduce(List<? extends Peer> peers, long offset, long bytes) {
    MemorySegment result = sum.asSlice(0, bytes);
    MemorySegment more = next.asSlice(0, bytes);
    peers.getFirst().read(offset, result);
    for (Peer peer : peers.subList(1, peers.size())) {
      peer.read(offset, more);
      add.accept((int) (bytes / type.bytes()));
    }
    for (Peer peer : peers) {
      peer.write(offset, result);
    }
  }

  private static IntConsumer floats(Reduction reduction, float[] a, float[] b) {
    return switch (reduction) {
      case SUM ->
          n -> {
            for (int i = 0; i < n; i++) {
              a[i] += b[i];
            }
          };
      case MIN ->
          n -> {
            for (int i = 0; i < n; i++) {
              a[i] = Math.min(a[i], b[i]);
            }
          };
      case MAX ->
          n -> {
            for (int i = 0; i < n; i++) {
              a[i] = Math.max(a[i], b[i]);
            }
          };
    };
  }

  private static IntConsumer doubles(Reduction reduction, double[] a, double[] b) {
    return switch (reduction) {
      case SUM ->
          n -> {
            for (int i = 0; i < n; i++) {
              a[i] += b[i];
            }
          };
      case MIN ->
          n -> {
            for (int i = 0; i < n; i++) {
              a[i] = Math.min(a[i], b[i]);
            }
          };
      case MAX ->
          n -> {
            for (int i = 0; i < n; i++) {
              a[i] = Math.max(a[i], b[i]);
            }
          };
    };
  }

  private static IntConsumer ints(Reduction reduction, int[] a, int[] b) {
    return switch (reduction) {
      case SUM ->
          n -> {
            for (int i = 0; i < n; i++) {
              a[i] += b[i];
            }
          };
      case MIN ->
          n -> {
            for (int i = 0; i < n; i++) {
              a[i] = Math.min(a[i], b[i]);
            }
          };
      case MAX ->
          n -> {
            for (int i = 0; i < n; i++) {
              a[i] = Math.max(a[i], b[i]);
            }
          };
    };
  }

  private static IntConsumer longs(Reduction reduction, long[] a, long[] b) {
    return switch (reduction) {
      case SUM ->
          n -> {
            for (int i = 0; i < n; i++) {
              a[i] += b[i];
            }
          };
      case MIN ->
          n -> {
            for (int i = 0; i < n; i++) {
              a[i] = Math.min(a[i], b[i]);
            }
          };
      case MAX ->
          n -> {
            for (int i = 0; i < n; i++) {
              a[i] = Math.max(a[i], b[i]);
            }
          };
    };
  }
}
