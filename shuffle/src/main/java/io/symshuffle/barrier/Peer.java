// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * The memory of a PE as another one reaches it. Offsets count from the first byte after the control
 * block. Used by one thread at a time.
 */
interface Peer {
  /** The PE's control block, or a copy of it from the last {@link #look}. */
  ControlBlock control();

  /** Brings a copy of the control block up to date. */
  default void look() {}

  /** Whether the memory is that of the PE that opened it, and has not been freed. */
  boolean isCurrent();

  /** Whether the PE has closed its memory or is dead, and will not arrive again. */
  boolean hasEnded();

  /** Whether the PE has closed its memory, and so accesses nothing anymore. */
  boolean hasClosed();

  /** Whether the PE may still access the memory of this one. */
  boolean mayAccess();

  /** The whole memory, read-only, until the arena is closed; empty if it is on another host. */
  Optional<MemorySegment> view(Arena until);

  /** Copies from this PE's memory. */
  void read(long offset, MemorySegment to);

  /** Copies to this PE's memory. */
  void write(long offset, MemorySegment from);

  /** How many bytes to read at once. */
  int goodBytes();

  /** The PE, for messages. */
  @Override
  String toString();
}
