// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.barrier;

import io.symshuffle.ffi.Segments;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.host.HostHeap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A PE on this host; maybe a task of this executor, or this task.
 *
 * <p>Its memory is not freed while this PE has not {@linkplain SymmetricMemory#close closed} its
 * own. Its addresses stay mapped until the process ends, see {@link io.symshuffle.ffi.MappedFile}.
 */
final class MappedPeer implements Peer {
  /** Fits into a core's L1 cache, with as much of the sum. */
  private static final int GOOD_BYTES = 8 << 10;

  private final HostHeap heap;
  private final Address address;
  private final Arena arena;
  private final ControlBlock control;
  private final MemorySegment data;
  private MemorySegment writable;

  /**
   * @param arena until when this PE may write
   */
  MappedPeer(HostHeap heap, Address address, Arena arena) {
    this.heap = heap;
    this.address = address;
    this.arena = arena;
    MemorySegment memory =
        heap.peer(address.heapPe())
            .orElseThrow(() -> new HeapException("its heap file is gone"))
            .asSlice(address.offset(), ControlBlock.BYTES + address.bytes());
    MemorySegment unbounded = Segments.withLifetime(memory, Arena.global());
    control = new ControlBlock(unbounded.asSlice(0, ControlBlock.BYTES));
    data = unbounded.asSlice(ControlBlock.BYTES);
    writable = address.heapPe() == heap.myPe() ? data : null;
  }

  @Override
  public ControlBlock control() {
    return control;
  }

  @Override
  public boolean isCurrent() {
    return control.generation() == address.generation();
  }

  @Override
  public boolean hasEnded() {
    return !isCurrent() || control.isClosed() || isDead();
  }

  /** Another PE may have freed the memory of a dead one, which then is all zeros, too. */
  @Override
  public boolean hasClosed() {
    return control.isClosed() || (!isCurrent() && !isDead());
  }

  private boolean isDead() {
    return address.heapPe() != heap.myPe() && !heap.isAlive(address.heapPe());
  }

  @Override
  public boolean mayAccess() {
    return !hasEnded();
  }

  @Override
  public Optional<MemorySegment> view(Arena until) {
    return Optional.of(Segments.withLifetime(data, until).asReadOnly());
  }

  @Override
  public void read(long offset, MemorySegment to) {
    // Its pages may already be mapped here.
    MemorySegment.copy(writable == null ? data : writable, offset, to, 0, to.byteSize());
  }

  @Override
  public void write(long offset, MemorySegment from) {
    if (writable == null) {
      writable =
          heap.mapForWriting(
              address.heapPe(), address.offset() + ControlBlock.BYTES, address.bytes(), arena);
    }
    MemorySegment.copy(from, 0, writable, offset, from.byteSize());
  }

  @Override
  public int goodBytes() {
    return GOOD_BYTES;
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
