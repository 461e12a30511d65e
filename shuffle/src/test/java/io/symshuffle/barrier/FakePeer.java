// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A PE of which there is a control block only. */
record FakePeer(ControlBlock control, long generation) implements Peer {
  @Override
  public boolean isCurrent() {
    return control.generation() == generation;
  }

  @Override
  public boolean hasEnded() {
    return !isCurrent() || control.isClosed();
  }

  @Override
  public boolean hasClosed() {
    return control.isClosed();
  }

  @Override
  public boolean mayAccess() {
    return !hasEnded();
  }

  @Override
  public Optional<MemorySegment> view(Arena until) {
    return Optional.empty();
  }

  @Override
  public void read(long offset, MemorySegment to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void write(long offset, MemorySegment from) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int goodBytes() {
    return 64;
  }

  @Override
  public String toString() {
    return "PE 3";
  }
}
