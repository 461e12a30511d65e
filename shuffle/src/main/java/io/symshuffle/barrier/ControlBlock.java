// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.symshuffle.ffi.Segments;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The first bytes of a PE's memory. Its PE writes them, and all others read them.
 *
 * <pre>
 *    0  generation: a random number that is not 0; 0 once the memory has been freed
 *    8  whether the PE has closed its memory
 *   64  arrivals: how often the PE has reached a synchronization
 *  128  its last calls, 128 bytes each, as text after its length: call n is in place n modulo 2
 * </pre>
 *
 * <p>Two places are enough: a PE enters call n + 2 after all PEs have entered call n + 1, so none
 * still compares call n.
 */
record ControlBlock(MemorySegment memory) {
  static final int BYTES = 384;

  private static final long GENERATION = 0;
  private static final long CLOSED = 8;
  private static final long ARRIVALS = 64;
  private static final long CALLS = 128;
  private static final int CALL_BYTES = 128;
  private static final VarHandle WORD = Segments.varHandle(JAVA_LONG);

  static ControlBlock create(MemorySegment memory, long generation) {
    MemorySegment block = memory.asSlice(0, BYTES).fill((byte) 0);
    WORD.setRelease(block, GENERATION, generation);
    return new ControlBlock(block);
  }

  /** Returns the control block of a PE that has not arrived, outside of any heap. */
  static ControlBlock empty() {
    return new ControlBlock(MemorySegment.ofArray(new long[BYTES / Long.BYTES]));
  }

  /** Returns a copy in which no call is older than its arrivals. */
  ControlBlock snapshot() {
    long arrived = arrivals();
    ControlBlock copy = empty();
    copy.memory.copyFrom(memory);
    copy.arrive(arrived);
    return copy;
  }

  long generation() {
    return (long) WORD.getAcquire(memory, GENERATION);
  }

  boolean isClosed() {
    return (long) WORD.getAcquire(memory, CLOSED) != 0;
  }

  void close() {
    WORD.setRelease(memory, CLOSED, 1L);
  }

  /** Marks the memory as freed. */
  void clear() {
    WORD.setRelease(memory, GENERATION, 0L);
  }

  long arrivals() {
    return (long) WORD.getAcquire(memory, ARRIVALS);
  }

  void arrive(long count) {
    WORD.setRelease(memory, ARRIVALS, count);
  }

  /** Returns a call of the PE, with its arguments. */
  String call(long number) {
    long at = place(number);
    long length = Math.clamp(memory.get(JAVA_LONG, at), 0, CALL_BYTES - Long.BYTES);
    return new String(memory.asSlice(at + Long.BYTES, length).toArray(JAVA_BYTE), US_ASCII);
  }

  void setCall(long number, String call) {
    long at = place(number);
    byte[] text = call.getBytes(US_ASCII);
    memory.set(JAVA_LONG, at, text.length);
    MemorySegment.copy(text, 0, memory, JAVA_BYTE, at + Long.BYTES, text.length);
  }

  private static long place(long number) {
    return CALLS + number % 2 * CALL_BYTES;
  }
}
