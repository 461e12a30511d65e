// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import io.symshuffle.cuda.DeviceRange;
import java.util.Optional;

/**
 * GPU memory shared by several PEs: each PE has one window, allocates slabs in its own window, and
 * reads the windows of the others.
 *
 * <p>A window is a range of virtual addresses on this GPU, for kernels and copies; the CPU cannot
 * dereference them. An offset in a window refers to the same byte on every PE that maps it. PEs are
 * numbered from 0 within the heap. A window may be backed by memory only in part: read only bytes
 * of slabs that the window's owner has allocated.
 *
 * <p>The window of another PE appears when that PE joins. It stays readable while it is mapped
 * here, even after its PE has died.
 *
 * <p>Thread-safe. After {@link #close()} every method throws {@link IllegalStateException} except
 * {@code close}, {@code myPe}, {@code peCount}, {@code size} and {@code slabs}; the caller ensures
 * that no kernel or copy uses a window by then.
 */
public interface DeviceHeap extends AutoCloseable {

  /** {@return the number of this PE within the heap} */
  int myPe();

  /** {@return the number of PEs that have joined, including dead ones} */
  int peCount();

  /** {@return the length of this PE's window in bytes} */
  long size();

  /** {@return this PE's window, 64 KiB aligned} */
  DeviceRange window();

  /**
   * Returns the window of a PE.
   *
   * @param pe number of the PE; may be this PE
   * @return its address range on this GPU; empty when this GPU cannot map it
   * @throws HeapException when no PE has this number
   */
  Optional<DeviceRange> peer(int pe);

  /** {@return the allocator of this PE's window; offsets are relative to the window and never 0} */
  SlabAllocator slabs();

  /**
   * Tells the heap that a PE has died. Nothing waits for that PE anymore; mapped windows stay
   * readable.
   *
   * @param reason a sentence without a period
   */
  void peerLost(String reason);

  /** Ends this PE's use of the heap. Other PEs keep their mappings. Further calls do nothing. */
  @Override
  void close();
}
