// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import io.symshuffle.cuda.DeviceRange;
import java.util.List;
import java.util.Optional;

/**
 * GPU memory shared by several PEs: each PE has one window, allocates slabs in its own window, and
 * reads the windows of the others.
 *
 * <p>A window is a range of virtual addresses on this GPU, for kernels and copies; the CPU cannot
 * dereference them. An offset in a window refers to the same byte on every PE that maps it. PEs
 * have the numbers that the driver has given them. A window may be backed by memory only in part:
 * read only bytes of slabs that the window's owner has allocated.
 *
 * <p>What a PE has written stays readable after its death, while some living PE maps it.
 *
 * <p>Thread-safe. After {@link #close()} every method throws {@link IllegalStateException} except
 * {@code close}, {@code myPe}, {@code pes}, {@code size} and {@code slabs}; the caller ensures that
 * no kernel or copy uses a window by then.
 */
public interface DeviceHeap extends AutoCloseable {

  /** Returns the number of this PE. */
  int myPe();

  /** Returns the PEs that have joined, including this one and dead ones, ascending. */
  List<Integer> pes();

  /**
   * Returns a text that is equal for two PEs if each can read all windows that the other can read,
   * given that both see the same folder.
   */
  String group();

  /** Returns the length of this PE's window in bytes. */
  long size();

  /** Returns this PE's window, 64 KiB aligned. */
  DeviceRange window();

  /**
   * Returns a part of a PE's window that kernels and copies of this GPU can read until the slab
   * that contains it is freed. This may take some seconds if the memory must first be mapped here.
   *
   * @param pe number of the PE; may be this PE
   * @param offset first byte in the window of the PE
   * @param bytes length of the part, more than 0
   * @return its addresses on this GPU; empty when there is no such PE, its window has no memory
   *     there, or this GPU cannot map it
   */
  Optional<DeviceRange> range(int pe, long offset, long bytes);

  /**
   * Maps a part of a PE's window for reading and writing. The owner must not free the slab while
   * another PE may write to it; the callers arrange that.
   *
   * @param pe number of the PE; may be this PE
   * @param offset first byte in the window of the PE
   * @param bytes length of the part, more than 0
   * @return the mapping, which the caller closes; empty when {@link #range} returns nothing
   * @throws io.symshuffle.ffi.NativeCallException when the driver refuses it
   */
  Optional<DeviceMapping> map(int pe, long offset, long bytes);

  /** Returns the allocator of this PE's window; offsets are relative to the window and never 0. */
  SlabAllocator slabs();

  /** Returns memory to the GPU that no slab uses, if the heap can; for a heap that is idle. */
  void trim();

  /**
   * Tells the heap that a PE has died. Nothing waits for that PE anymore; what is mapped stays
   * readable.
   *
   * @param pe number of the PE; unknown ones are ignored
   */
  void lost(int pe);

  /**
   * Prepares the end of this process: afterwards the other PEs can read what they can read now
   * without it, if the heap can do that. May take some seconds. The heap stays usable, but what is
   * written later may be lost.
   */
  void leave();

  /**
   * Tells the other PEs that their tasks may still read what this PE has written after its heap
   * file was removed. They then keep it mapped until the application ends.
   */
  void keepMapped();

  /** Ends this PE's use of the heap. Other PEs keep their mappings. Further calls do nothing. */
  @Override
  void close();
}
