// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One map output while its task writes it: data is placed in the tiers and listed, then {@link
 * #commit} makes all of it visible together, or {@link #abort} frees it.
 *
 * <p>Used by one task thread.
 */
public abstract sealed class MapOutputBuilder permits RowOutputBuilder, TableOutputBuilder {
  private static final Logger LOG = LoggerFactory.getLogger(MapOutputBuilder.class);

  private final MapOutputStore store;
  private final OutputStorage storage;
  private final MapOutputId id;
  private final List<Slab> hostSlabs = new ArrayList<>();
  private final List<Slab> deviceSlabs = new ArrayList<>();
  private DiskFile file;
  private boolean open = true;

  MapOutputBuilder(MapOutputStore store, OutputStorage storage, MapOutputId id) {
    this.store = requireNonNull(store, "store is null");
    this.storage = requireNonNull(storage, "storage is null");
    this.id = requireNonNull(id, "id is null");
  }

  /** Its name. */
  public final MapOutputId id() {
    return id;
  }

  abstract OutputKind kind();

  abstract boolean isEmpty();

  /** Size of the index in bytes. */
  abstract long indexBytes();

  /**
   * Writes the index.
   *
   * @param to {@link #indexBytes} bytes, 8-byte aligned
   */
  abstract void writeIndex(MemorySegment to);

  /**
   * Allocates memory of the host heap.
   *
   * @return its memory, or empty if the heap is full
   */
  public final Optional<MemorySegment> allocateHost(long bytes) {
    checkOpen();
    Optional<Slab> slab = storage.allocateHost(bytes);
    slab.ifPresent(hostSlabs::add);
    return slab.map(allocated -> storage.window().asSlice(allocated.offset(), bytes));
  }

  /** Offset in the own window of memory from {@link #allocateHost}. */
  public final long hostOffset(MemorySegment memory) {
    return memory.address() - storage.window().address();
  }

  /**
   * Allocates memory of the device heap.
   *
   * @return the slab, or empty if that heap is full or there is none
   */
  public final Optional<Slab> allocateDevice(long bytes) {
    checkOpen();
    Optional<Slab> slab = storage.allocateDevice(bytes);
    slab.ifPresent(deviceSlabs::add);
    return slab;
  }

  /**
   * Keeps the slabs of {@link #allocateDevice} allocated for good, because a GPU that does not
   * finish its work may still write to them. Follow with {@link #abort}.
   */
  public final void leakDeviceSlabs() {
    if (!deviceSlabs.isEmpty()) {
      LOG.warn(
          "{} bytes of the device heap stay allocated: a GPU that does not finish its work may"
              + " write to them",
          deviceSlabs.stream().mapToLong(Slab::bytes).sum());
      deviceSlabs.clear();
    }
  }

  /**
   * Appends to the map output's file.
   *
   * @param bytes the remaining ones are written
   * @return where they start in the file
   * @throws IOException if the disk does not take them; the message says which file and how much
   */
  public final long appendToFile(ByteBuffer bytes) throws IOException {
    return appendToFile(MemorySegment.ofBuffer(bytes));
  }

  final long appendToFile(MemorySegment bytes) throws IOException {
    checkOpen();
    try {
      if (file == null) {
        file = DiskFile.create(storage.file(id));
      }
      return storage.append(file, bytes);
    } catch (IOException e) {
      throw new IOException(
          ("cannot write %d bytes of shuffle data to %s: %s. The heap is full and this disk does"
                  + " not take more; free space there, or set spark.symshuffle.disk.dir or a larger"
                  + " spark.symshuffle.heap.size")
              .formatted(bytes.byteSize(), storage.file(id), e),
          e);
    }
  }

  /** Copies a run into the host heap. */
  final void write(MemorySegment run, MemorySegment to) throws IOException {
    storage.write(run, to);
  }

  /**
   * Writes the index and publishes the map output. An empty one is not published, since nobody
   * looks for it. Neither is one whose shuffle was unregistered after the builder was created: it
   * is freed immediately, since nobody would free it later.
   *
   * @return whether it was published
   * @throws IOException if heap and disk are full; the map output is still open then
   */
  public final boolean commit() throws IOException {
    checkOpen();
    if (isEmpty()) {
      abort();
      return false;
    }
    IndexPlace place = placeIndex();
    if (file != null) {
      file.close();
    }
    boolean published = store.publish(this, owned(), place);
    open = false;
    if (!published) {
      LOG.debug("{} was committed after the end of its shuffle", id);
      storage.free(owned());
    }
    return published;
  }

  /** Frees what was written. Does nothing after {@link #commit} or a second time. */
  public final void abort() {
    if (!open) {
      return;
    }
    open = false;
    store.endWriting(this);
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      LOG.warn("Cannot close {}: {}", file.path(), e.toString());
    }
    storage.free(owned());
  }

  final void checkOpen() {
    if (!open) {
      throw new IllegalStateException(id + " is committed or aborted already");
    }
  }

  private IndexPlace placeIndex() throws IOException {
    long bytes = indexBytes();
    Optional<MemorySegment> host = allocateHost(bytes);
    if (host.isPresent()) {
      writeIndex(host.get());
      return new IndexPlace(kind(), Tier.HOST, hostOffset(host.get()), bytes);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment index = arena.allocate(bytes, Long.BYTES);
      writeIndex(index);
      return new IndexPlace(kind(), Tier.DISK, appendToFile(index), bytes);
    }
  }

  private OwnedOutput owned() {
    return new OwnedOutput(
        id, hostSlabs, deviceSlabs, Optional.ofNullable(file).map(DiskFile::path));
  }
}
