// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One map output while its task writes it: runs are placed one after the other, then {@link
 * #commit} makes all of them visible at once, or {@link #abort} gives everything back.
 *
 * <p>Used by one task thread.
 */
public final class MapOutputSink {
  private final MapOutputStore store;
  private final MapOutputId id;
  private final MapIndexBuilder index;
  private final List<Slab> slabs = new ArrayList<>();
  private DiskFile file;
  private boolean open = true;

  MapOutputSink(MapOutputStore store, MapOutputId id, int partitions) {
    this.store = requireNonNull(store, "store is null");
    this.id = requireNonNull(id, "id is null");
    this.index = new MapIndexBuilder(id, partitions);
  }

  /** Which shuffle it belongs to. */
  public int shuffleId() {
    return id.shuffleId();
  }

  /**
   * Takes room for a run in the own window.
   *
   * @param bytes size of the run
   * @return its memory, or empty if the heap is full: the run then goes to {@link #writeToDisk}
   */
  public Optional<MemorySegment> allocate(long bytes) {
    checkOpen();
    Optional<Slab> slab = store.slabs().allocate(bytes);
    slab.ifPresent(slabs::add);
    return slab.map(s -> store.window().asSlice(s.offset(), bytes));
  }

  /**
   * Writes a run to the map output's file.
   *
   * @param run its remaining bytes are written
   * @return where it starts in the file
   * @throws IOException if the disk does not take it; the message says which file and how much
   */
  public long writeToDisk(ByteBuffer run) throws IOException {
    checkOpen();
    int bytes = run.remaining();
    Path path = DiskFile.path(store.diskFolder(), id);
    try {
      if (file == null) {
        file = DiskFile.create(path);
      }
      return file.append(run);
    } catch (IOException e) {
      throw new IOException(
          "cannot write %d bytes of shuffle data to %s: %s. The heap is full and this disk does not take more;"
                  .formatted(bytes, path, e)
              + " free space there, or set spark.symshuffle.disk.dir or a larger"
              + " spark.symshuffle.heap.size",
          e);
    }
  }

  /** Adds a run of the HOST tier that now stands in memory from {@link #allocate}. */
  public void addHostRun(MemorySegment run, BlockTable blocks) {
    checkOpen();
    index.add(Tier.HOST, run.address() - store.window().address(), run.byteSize(), blocks);
  }

  /** Adds a run that {@link #writeToDisk} wrote. */
  public void addDiskRun(long position, long bytes, BlockTable blocks) {
    checkOpen();
    index.add(Tier.DISK, position, bytes, blocks);
  }

  /**
   * Writes the index and publishes the map output. One without runs is not published: nobody asks
   * for it.
   *
   * @return whether it has runs
   * @throws IOException if heap and disk are full; the map output is still open then
   */
  public boolean commit() throws IOException {
    checkOpen();
    if (index.isEmpty()) {
      open = false;
      return false;
    }
    IndexPlace place = writeIndex();
    Optional<Path> path = Optional.ofNullable(file).map(DiskFile::path);
    if (file != null) {
      file.close();
    }
    store.publish(new OwnedOutput(id, List.copyOf(slabs), path), place);
    open = false;
    return true;
  }

  /** Gives back what was written. Does nothing after {@link #commit} or a second time. */
  public void abort() {
    if (!open) {
      return;
    }
    open = false;
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      MapOutputStore.LOG.warn("Cannot close {}: {}", file.path(), e.toString());
    }
    store.free(new OwnedOutput(id, slabs, Optional.ofNullable(file).map(DiskFile::path)));
  }

  private IndexPlace writeIndex() throws IOException {
    long bytes = index.bytes();
    Optional<MemorySegment> host = allocate(bytes);
    if (host.isPresent()) {
      index.writeTo(host.get());
      return new IndexPlace(Tier.HOST, host.get().address() - store.window().address(), bytes);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(bytes, Long.BYTES);
      index.writeTo(copy);
      return new IndexPlace(Tier.DISK, writeToDisk(copy.asByteBuffer()), bytes);
    }
  }

  private void checkOpen() {
    if (!open) {
      throw new IllegalStateException(id + " is committed or aborted already");
    }
  }
}
