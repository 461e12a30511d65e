// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.ffi.DirectMemory;
import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.OutputKind;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds one map output: data is stored in the tiers and listed, then {@link #commit} publishes all
 * of it atomically, or {@link #abort} frees it.
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

  /** Where the file can be created or moved, if the places before have failed. */
  private Iterator<Path> places;

  private boolean open = true;

  MapOutputBuilder(MapOutputStore store, OutputStorage storage, MapOutputId id) {
    this.store = store;
    this.storage = storage;
    this.id = id;
  }

  /** The id of the map output. */
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

  /** Allocates memory of the host heap; empty if it is full. */
  public final Optional<MemorySegment> allocateHost(long bytes) {
    checkOpen();
    Optional<Slab> slab = storage.allocateHost(bytes);
    slab.ifPresent(hostSlabs::add);
    return slab.map(allocated -> storage.window().asSlice(allocated.offset(), bytes));
  }

  /** Offset in this PE's window of memory from {@link #allocateHost}. */
  public final long hostOffset(MemorySegment memory) {
    return memory.address() - storage.window().address();
  }

  /** Allocates memory of the device heap; empty if it is full or there is none. */
  public final Optional<Slab> allocateDevice(long bytes) {
    checkOpen();
    Optional<Slab> slab = storage.allocateDevice(bytes);
    slab.ifPresent(deviceSlabs::add);
    return slab;
  }

  /**
   * Frees a slab of {@link #allocateDevice} that nothing was listed in, and that no GPU writes to
   * anymore.
   */
  public final void freeDevice(Slab slab) {
    checkOpen();
    if (!deviceSlabs.remove(slab)) {
      throw new IllegalArgumentException("%s does not belong to %s".formatted(slab, id));
    }
    storage.free(new OwnedOutput(id, List.of(), List.of(slab), Optional.empty()));
  }

  /**
   * Leaks the slabs of {@link #allocateDevice}, because a GPU that did not finish its work may
   * still write to them. Call {@link #abort} next.
   */
  public final void leakDeviceSlabs() {
    if (!deviceSlabs.isEmpty()) {
      LOG.warn(
          "Leaking {} bytes of the device heap: a GPU that did not finish its work may still write"
              + " to them",
          deviceSlabs.stream().mapToLong(Slab::bytes).sum());
      deviceSlabs.clear();
    }
  }

  /**
   * Appends to the map output's file, which moves to another folder if its disk is full or fails.
   *
   * @param bytes the buffer whose remaining bytes are written
   * @return their offset in the file
   * @throws IOException if they cannot be written; the message names the file and the number of
   *     bytes
   */
  public final long appendToFile(ByteBuffer bytes) throws IOException {
    return appendToFile(MemorySegment.ofBuffer(bytes));
  }

  final DiskFolders disk() {
    return storage.disk();
  }

  final long appendToFile(MemorySegment bytes) throws IOException {
    checkOpen();
    if (places == null) {
      places = storage.disk().candidates(id).iterator();
    }
    List<IOException> failures = new ArrayList<>();
    Path place = file == null ? places.next() : file.path();
    while (true) {
      try {
        if (file == null) {
          file = storage.disk().create(place);
        } else if (!place.equals(file.path())) {
          file = file.moveTo(place);
        }
        return storage.append(file, bytes);
      } catch (ClosedByInterruptException e) {
        // The task was killed. The disk is fine.
        throw e;
      } catch (DiskFile.UnreadableException e) {
        // The disk where the file was to be moved is fine, and no other one helps.
        failures.add(e);
        throw unwritable(bytes.byteSize(), file.path(), failures);
      } catch (IOException e) {
        storage.disk().pause(place, e);
        failures.add(e);
        if (!places.hasNext()) {
          throw unwritable(bytes.byteSize(), place, failures);
        }
        place = places.next();
      }
    }
  }

  private static IOException unwritable(long bytes, Path place, List<IOException> failures) {
    IOException last = failures.remove(failures.size() - 1);
    IOException e =
        new IOException(
            ("cannot write %d bytes of shuffle data to %s: %s. The heap is full, and writing to"
                    + " this disk failed; free space on it, set spark.symshuffle.disk.dir, or"
                    + " increase spark.symshuffle.heap.size")
                .formatted(bytes, place, last),
            last);
    // Of the other local folders.
    failures.forEach(e::addSuppressed);
    return e;
  }

  /** Copies a run into the host heap. */
  final void write(MemorySegment run, MemorySegment to) throws IOException {
    storage.write(run, to);
  }

  /**
   * Writes the index and publishes the map output. An empty map output is not published, since no
   * task reads it.
   *
   * @throws IOException if heap and disk are full; the builder is still open then. Or if the
   *     shuffle was unregistered after the builder was created; everything is freed then
   */
  public final boolean commit() throws IOException {
    checkOpen();
    if (isEmpty()) {
      store.commitEmpty(this);
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
      storage.free(owned());
      throw new IOException(id + " is not published: its shuffle was unregistered meanwhile");
    }
    return true;
  }

  /** Frees everything that was written. Does nothing after {@link #commit} or a previous call. */
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
      throw new IllegalStateException(id + " is already committed or aborted");
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
      MemorySegment index =
          DirectMemory.require(
              "an index of %d bytes", bytes, () -> arena.allocate(bytes, Long.BYTES));
      writeIndex(index);
      return new IndexPlace(kind(), Tier.DISK, appendToFile(index), bytes);
    }
  }

  private OwnedOutput owned() {
    return new OwnedOutput(
        id, hostSlabs, deviceSlabs, Optional.ofNullable(file).map(DiskFile::path));
  }
}
