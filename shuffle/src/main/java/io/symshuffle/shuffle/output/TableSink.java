// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.directory.MapOutputId;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * One map output of packed tables while its task writes it: tables are placed, in whatever tier has
 * room, then {@link #commit} makes all of them visible at once, or {@link #abort} gives everything
 * back.
 *
 * <p>Used by one task thread.
 */
public final class TableSink {
  private final OutputSpace space;
  private final TableIndexBuilder index;

  TableSink(MapOutputStore store, MapOutputId id, int partitions) {
    this.space = new OutputSpace(store, id);
    this.index = new TableIndexBuilder(id, partitions);
  }

  /** Which shuffle it belongs to. */
  public int shuffleId() {
    return space.id().shuffleId();
  }

  /**
   * Takes room in the own window of the device heap.
   *
   * @return the room, or empty if that heap is full or there is none
   */
  public Optional<Slab> allocateDevice(long bytes) {
    return space.allocateDevice(bytes);
  }

  /**
   * Takes room in the own window of the host heap.
   *
   * @return the room, or empty if the heap is full
   */
  public Optional<MemorySegment> allocateHost(long bytes) {
    return space.allocate(bytes);
  }

  /** Offset in the own window of memory from {@link #allocateHost}. */
  public long hostOffset(MemorySegment memory) {
    return space.offset(memory);
  }

  /**
   * Writes to the map output's file, behind what was written before.
   *
   * @param bytes the remaining ones are written
   * @return where they start in the file
   * @throws IOException if the disk does not take them; the message says which file and how much
   */
  public long writeToDisk(ByteBuffer bytes) throws IOException {
    return space.writeToDisk(bytes);
  }

  /** Lists a table whose data is in its place; its metadata must live until {@link #commit}. */
  public void add(TableEntry table) {
    space.checkOpen();
    index.add(table);
  }

  /**
   * Writes the index and publishes the map output. One without tables is not published: nobody asks
   * for it.
   *
   * @return whether it has tables
   * @throws IOException if heap and disk are full; the map output is still open then
   */
  public boolean commit() throws IOException {
    return space.commit(index);
  }

  /** Gives back what was written. Does nothing after {@link #commit} or a second time. */
  public void abort() {
    space.abort();
  }
}
