// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;

/**
 * Memory that every PE has and others address by (PE, offset).
 *
 * <p>A PE is one process; PEs are numbered from 0. Each has one window of {@link #size()} bytes,
 * and byte 0 of a window is its first usable byte. Windows need not have the same size: a PE's
 * offsets count in that PE's window. PEs come and go: a PE that has not come yet has no window, and
 * what a dead PE wrote stays readable for as long as its backend keeps it.
 *
 * <p>Threads: every method may be called from any thread at any time, {@link #close()} too.
 * Segments handed out belong to no thread. Nothing here orders accesses of several threads or PEs
 * to the same bytes; {@link #barrier} does, and so do loads and stores with acquire and release
 * order.
 *
 * <p>Errors: a range outside the window gives {@link IndexOutOfBoundsException} and moves nothing;
 * a PE without a window gives {@link HeapException}, a negative PE {@link
 * IllegalArgumentException}; after {@link #close()} every method gives {@link
 * IllegalStateException} but {@code close}, {@code myPe} and {@code size}.
 */
public interface SymmetricHeap extends AutoCloseable {

  /** {@return the number of this process among the PEs, 0 or more} */
  int myPe();

  /** {@return bytes of the own window} */
  long size();

  /**
   * The own window.
   *
   * @return a segment of {@link #size()} bytes, its first byte page-aligned, for any thread; it
   *     refuses access after {@link #close()}
   */
  MemorySegment local();

  /**
   * The window of a PE, where loads and stores reach it.
   *
   * @param pe number of the PE, 0 or more; the own one is allowed
   * @return the PE's whole window, the same segment on each call; empty when that PE has no window
   *     (yet) or when it is out of reach of loads and stores, so that only get and put are left
   * @throws HeapException when there is something in the PE's place that is not its window
   */
  Optional<MemorySegment> peer(int pe);

  /**
   * Copies from a PE's window; when it returns, the bytes are here.
   *
   * @param pe number of the PE, 0 or more; the own one is allowed
   * @param offset first byte in the PE's window; no alignment needed
   * @param destination where the bytes go; its length says how many, 0 is allowed
   * @throws IndexOutOfBoundsException when the range leaves the PE's window
   * @throws HeapException when the PE has no window
   */
  void get(int pe, long offset, MemorySegment destination);

  /**
   * Copies into a PE's window; when it returns, {@code source} may be reused. Others may rely on
   * the bytes only after {@link #quiet()} and a signal or barrier.
   *
   * @param pe number of the PE, 0 or more; the own one is allowed
   * @param offset first byte in the PE's window; no alignment needed
   * @param source the bytes; its length says how many, 0 is allowed
   * @throws IndexOutOfBoundsException when the range leaves the PE's window
   * @throws HeapException when the PE has no window
   */
  void put(int pe, long offset, MemorySegment source);

  /**
   * Completes every put and store that this thread has made: a later signal cannot overtake them.
   */
  void quiet();

  /**
   * Waits until the PEs 0 to {@code peCount - 1} have all called it; what each wrote before is then
   * visible to all. Barriers of the same {@code peCount} follow one another; one thread a PE at a
   * time calls.
   *
   * <p>After a time-out this PE still counts as arrived, and its next call with the same {@code
   * peCount} takes the same barrier up again.
   *
   * @param peCount number of PEs taking part, more than {@link #myPe()}
   * @param limit how long to wait at most; with zero it only looks
   * @throws TimeoutException when the time is up; the message names the PEs that are missing
   * @throws IllegalArgumentException when this PE is not among the first {@code peCount}, or when
   *     {@code peCount} is more than the backend can serve
   * @throws IllegalStateException when the thread is interrupted (its flag stays set) or the heap
   *     is closed meanwhile
   */
  void barrier(int peCount, Duration limit) throws TimeoutException;

  /**
   * Ends this PE's part: segments handed out refuse access from now on. The window's content stays
   * readable for the other PEs. Further calls do nothing.
   */
  @Override
  void close();
}
