// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeoutException;

/**
 * What a step of the contract works with.
 *
 * @param heap the heap of this PE
 * @param peCount number of PEs
 * @param seed the same on all PEs
 */
record PeContext(SymmetricHeap heap, int peCount, long seed) {
  private static final Duration BARRIER_LIMIT = Duration.ofSeconds(30);

  int pe() {
    return heap.myPe();
  }

  void barrier() throws TimeoutException {
    heap.barrier(peCount, BARRIER_LIMIT);
  }

  /** Random numbers that every PE can recompute for every other. */
  Random random(int pe) {
    return new Random(seed * 1009 + pe);
  }

  /** Whether the CPU's loads and stores reach the own window. */
  boolean reaches() {
    return heap.peer(pe()).isPresent();
  }

  /** Writes into the own window. */
  void write(long offset, MemorySegment bytes) {
    if (reaches()) {
      MemorySegment.copy(bytes, 0, heap.local(), offset, bytes.byteSize());
    } else {
      heap.put(pe(), offset, bytes);
    }
  }

  /** Writes a number into the own window. */
  void write(long offset, long number) {
    write(offset, MemorySegment.ofArray(new long[] {number}));
  }

  /** Fills the own window. */
  void fill(byte value) {
    byte[] bytes = new byte[(int) heap.size()];
    Arrays.fill(bytes, value);
    write(0, MemorySegment.ofArray(bytes));
  }

  /** Reads from the own window. */
  byte[] read(long offset, int bytes) {
    return reaches()
        ? heap.local().asSlice(offset, bytes).toArray(JAVA_BYTE)
        : get(pe(), offset, bytes);
  }

  /** Reads a number from the own window. */
  long read(long offset) {
    return MemorySegment.ofArray(read(offset, Long.BYTES)).get(JAVA_LONG_UNALIGNED, 0);
  }

  byte[] get(int pe, long offset, int bytes) {
    byte[] destination = new byte[bytes];
    heap.get(pe, offset, MemorySegment.ofArray(destination));
    return destination;
  }
}
