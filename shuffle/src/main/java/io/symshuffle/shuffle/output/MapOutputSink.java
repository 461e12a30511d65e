// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.fault.FaultKind;
import io.symshuffle.shuffle.fault.FaultPoint;
import io.symshuffle.shuffle.fault.Faults;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * One map output of records while its task writes it: runs are placed one after the other, then
 * {@link #commit} makes all of them visible at once, or {@link #abort} gives everything back.
 *
 * <p>Used by one task thread.
 */
public final class MapOutputSink {
  private final OutputSpace space;
  private final MapIndexBuilder index;
  private final Faults faults = Faults.current();

  MapOutputSink(MapOutputStore store, MapOutputId id, int partitions) {
    this.space = new OutputSpace(store, id);
    this.index = new MapIndexBuilder(id, partitions);
  }

  /** Which shuffle it belongs to. */
  public int shuffleId() {
    return space.id().shuffleId();
  }

  /**
   * Takes room for a run in the own window.
   *
   * @param bytes size of the run
   * @return its memory, or empty if the heap is full: the run then goes to {@link #writeToDisk}
   */
  public Optional<MemorySegment> allocate(long bytes) {
    return space.allocate(bytes);
  }

  /**
   * Takes room for a run in the own window of the device heap.
   *
   * @param bytes size of the run
   * @return the room, or empty if that heap is full or there is none
   */
  public Optional<Slab> allocateDevice(long bytes) {
    return space.allocateDevice(bytes);
  }

  /**
   * Writes a run to the map output's file.
   *
   * @param run its remaining bytes are written
   * @return where it starts in the file
   * @throws IOException if the disk does not take it; the message says which file and how much
   */
  public long writeToDisk(ByteBuffer run) throws IOException {
    return space.writeToDisk(run);
  }

  /**
   * Adds a run of the HOST tier that now stands in memory from {@link #allocate}.
   *
   * @throws IOException never but on purpose, in a test
   */
  public void addHostRun(MemorySegment run, BlockTable blocks) throws IOException {
    space.checkOpen();
    if (faults != null) {
      FaultKind fault = faults.strike(FaultPoint.WRITE);
      if (fault != null) {
        faults.damage(run, fault);
      }
    }
    index.add(Tier.HOST, space.offset(run), run.byteSize(), blocks);
  }

  /**
   * Adds a run of the DEVICE tier that now stands at the start of a slab from {@link
   * #allocateDevice}.
   *
   * @throws IOException never but on purpose, in a test
   */
  public void addDeviceRun(Slab run, long bytes, BlockTable blocks) throws IOException {
    space.checkOpen();
    if (faults != null && faults.strike(FaultPoint.WRITE) != null) {
      // The run is out of reach here; a wrong checksum is the same to whoever reads it.
      blocks.checksums()[0] ^= 1;
    }
    index.add(Tier.DEVICE, run.offset(), bytes, blocks);
  }

  /**
   * Keeps what was taken of the device heap out of use for good: a GPU that does not come to rest
   * may still write there. To be followed by {@link #abort}.
   */
  public void leaveDeviceMemory() {
    space.leaveDeviceMemory();
  }

  /** Adds a run that {@link #writeToDisk} wrote. */
  public void addDiskRun(long position, long bytes, BlockTable blocks) {
    space.checkOpen();
    index.add(Tier.DISK, position, bytes, blocks);
  }

  /**
   * Writes the index and publishes the map output. One without runs is not published: nobody asks
   * for it.
   *
   * <p>If the shuffle was unregistered since this map output was started, nobody will ask for it
   * and nobody would free it: it is given back at once.
   *
   * @return whether it was published
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
