// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.program;

import io.symshuffle.barrier.ElementType;
import io.symshuffle.barrier.GpuSymmetricMemory;
import io.symshuffle.barrier.Reduction;
import io.symshuffle.barrier.SymmetricMemory;
import java.lang.foreign.MemorySegment;

/** The calls that symmetric memory of the host and of GPUs have in common. */
interface Collectives extends AutoCloseable {
  int pe();

  int peCount();

  long bytes();

  /** This PE's buffer, for {@link #put} and {@link #get}. */
  MemorySegment local();

  void write(MemorySegment from);

  void read(MemorySegment to);

  void get(int peer, long offset, MemorySegment destination);

  void put(int peer, long offset, MemorySegment source);

  void barrier();

  void allReduce(Reduction reduction, ElementType type, long offset, long count);

  void allGather(long offset, long bytes);

  void allToAll(long from, long to, long bytes);

  void broadcast(int root, long offset, long bytes);

  @Override
  void close();

  /** Returns those of the host. */
  static Collectives of(SymmetricMemory memory) {
    return new Collectives() {
      @Override
      public int pe() {
        return memory.pe();
      }

      @Override
      public int peCount() {
        return memory.peCount();
      }

      @Override
      public long bytes() {
        return memory.bytes();
      }

      @Override
      public MemorySegment local() {
        return memory.local();
      }

      @Override
      public void write(MemorySegment from) {
        memory.local().copyFrom(from);
      }

      @Override
      public void read(MemorySegment to) {
        to.copyFrom(memory.local());
      }

      @Override
      public void get(int peer, long offset, MemorySegment destination) {
        memory.get(peer, offset, destination);
      }

      @Override
      public void put(int peer, long offset, MemorySegment source) {
        memory.put(peer, offset, source);
      }

      @Override
      public void barrier() {
        memory.barrier();
      }

      @Override
      public void allReduce(Reduction reduction, ElementType type, long offset, long count) {
        memory.allReduce(reduction, type, offset, count);
      }

      @Override
      public void allGather(long offset, long bytes) {
        memory.allGather(offset, bytes);
      }

      @Override
      public void allToAll(long from, long to, long bytes) {
        memory.allToAll(from, to, bytes);
      }

      @Override
      public void broadcast(int root, long offset, long bytes) {
        memory.broadcast(root, offset, bytes);
      }

      @Override
      public void close() {
        memory.close();
      }
    };
  }

  /** Returns those of GPUs. */
  static Collectives of(GpuSymmetricMemory memory) {
    return new Collectives() {
      @Override
      public int pe() {
        return memory.pe();
      }

      @Override
      public int peCount() {
        return memory.peCount();
      }

      @Override
      public long bytes() {
        return memory.bytes();
      }

      @Override
      public MemorySegment local() {
        return memory.local();
      }

      @Override
      public void write(MemorySegment from) {
        memory.copyIn(0, from);
      }

      @Override
      public void read(MemorySegment to) {
        memory.copyOut(0, to);
      }

      @Override
      public void get(int peer, long offset, MemorySegment destination) {
        memory.get(peer, offset, destination);
      }

      @Override
      public void put(int peer, long offset, MemorySegment source) {
        memory.put(peer, offset, source);
      }

      @Override
      public void barrier() {
        memory.barrier();
      }

      @Override
      public void allReduce(Reduction reduction, ElementType type, long offset, long count) {
        memory.allReduce(reduction, type, offset, count);
      }

      @Override
      public void allGather(long offset, long bytes) {
        memory.allGather(offset, bytes);
      }

      @Override
      public void allToAll(long from, long to, long bytes) {
        memory.allToAll(from, to, bytes);
      }

      @Override
      public void broadcast(int root, long offset, long bytes) {
        memory.broadcast(root, offset, bytes);
      }

      @Override
      public void close() {
        memory.close();
      }
    };
  }
}
