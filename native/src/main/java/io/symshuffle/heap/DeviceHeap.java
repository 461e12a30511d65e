// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import io.symshuffle.cuda.DeviceRange;
import java.util.Optional;

/**
 * GPU memory that several PEs share: each PE has one window, hands out slabs of its own window, and
 * reads the windows of the others.
 *
 * <p>A window is a range of virtual addresses of this GPU. Kernels and copies use these addresses;
 * the CPU cannot dereference them. Offsets in a window mean the same on every PE that maps it. PEs
 * are numbered from 0 within the heap. Memory behind a window may come in pieces: only bytes in
 * slabs that their owner has handed out can be read.
 *
 * <p>The window of another PE appears when that PE joins. It stays readable for as long as it is
 * mapped here, also after its PE has died.
 *
 * <p>Threads: any. After {@link #close()} every method throws {@link IllegalStateException} except
 * {@code close}, {@code myPe}, {@code peCount}, {@code size} and {@code slabs}; the caller makes
 * sure that no kernel or copy uses a window at that time.
 */
public interface DeviceHeap extends AutoCloseable {

  /** {@return the number of this PE within the heap} */
  int myPe();

  /** {@return the number of PEs that have joined, dead ones included} */
  int peCount();

  /** {@return the length of this PE's window in bytes} */
  long size();

  /** {@return this PE's window, 64 KiB aligned} */
  DeviceRange window();

  /**
   * Returns the window of a PE.
   *
   * @param pe number of the PE; this PE is allowed
   * @return where this GPU maps it; empty when this GPU cannot map it
   * @throws HeapException when no PE has this number
   */
  Optional<DeviceRange> peer(int pe);

  /** {@return the allocator of this PE's window; offsets count in the window and are never 0} */
  SlabAllocator slabs();

  /**
   * Tells the heap that a PE has died. Nothing waits for that PE from now on; all windows that are
   * mapped stay readable.
   *
   * @param reason a sentence without its full stop
   */
  void peerLost(String reason);

  /** Ends this PE's use of the heap. Other PEs keep their mappings. Further calls do nothing. */
  @Override
  void close();
}
