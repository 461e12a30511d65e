// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.Slab;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.fault.FaultKind;
import io.symshuffle.shuffle.fault.FaultPoint;
import io.symshuffle.shuffle.fault.Faults;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What one map output takes of the tiers while its task writes it. {@link #commit} hands all of it
 * over to the store and makes it visible at once, {@link #abort} gives everything back.
 *
 * <p>Used by one task thread.
 */
final class OutputSpace {
  private final MapOutputStore store;
  private final MapOutputId id;
  private final List<Slab> slabs = new ArrayList<>();
  private final List<Slab> deviceSlabs = new ArrayList<>();
  private final Faults faults = Faults.current();
  private DiskFile file;
  private boolean open = true;

  OutputSpace(MapOutputStore store, MapOutputId id) {
    this.store = requireNonNull(store, "store is null");
    this.id = requireNonNull(id, "id is null");
    store.beginWriting(this);
  }

  /** Whose space it is. */
  MapOutputId id() {
    return id;
  }

  /** Room in the own window of the host heap; empty if it is full. */
  Optional<MemorySegment> allocate(long bytes) {
    checkOpen();
    if (faults != null && faults.strikeUnfailing(FaultPoint.ALLOCATE) != null) {
      return Optional.empty();
    }
    Optional<Slab> slab = store.slabs().allocate(bytes);
    slab.ifPresent(slabs::add);
    return slab.map(s -> store.window().asSlice(s.offset(), bytes));
  }

  /** Room in the own window of the device heap; empty if it is full or there is none. */
  Optional<Slab> allocateDevice(long bytes) {
    checkOpen();
    Optional<Slab> slab = store.deviceSlabs().flatMap(device -> device.allocate(bytes));
    slab.ifPresent(deviceSlabs::add);
    return slab;
  }

  /** Forgets the room in the device heap: nobody gets it any more. */
  void leaveDeviceMemory() {
    if (!deviceSlabs.isEmpty()) {
      MapOutputStore.LOG.warn(
          "{} bytes of the device heap stay unused: a GPU that does not come to rest may write"
              + " there",
          deviceSlabs.stream().mapToLong(Slab::bytes).sum());
      deviceSlabs.clear();
    }
  }

  /** Offset in the own window of memory from {@link #allocate}. */
  long offset(MemorySegment memory) {
    return memory.address() - store.window().address();
  }

  /**
   * Writes to the map output's file.
   *
   * @param bytes the remaining ones are written
   * @return where they start in the file
   * @throws IOException if the disk does not take them; the message says which file and how much
   */
  long writeToDisk(ByteBuffer bytes) throws IOException {
    return writeToDisk(MemorySegment.ofBuffer(bytes));
  }

  private long writeToDisk(MemorySegment bytes) throws IOException {
    checkOpen();
    long count = bytes.byteSize();
    Path path = DiskFile.path(store.diskFolder(), id);
    try {
      if (file == null) {
        file = DiskFile.create(path);
      }
      if (faults != null) {
        FaultKind fault = faults.strike(FaultPoint.DISK);
        if (fault != null) {
          MemorySegment damaged = MemorySegment.ofArray(bytes.toArray(ValueLayout.JAVA_BYTE));
          faults.damage(damaged, fault);
          return file.append(damaged);
        }
      }
      return file.append(bytes);
    } catch (IOException e) {
      throw new IOException(
          "cannot write %d bytes of shuffle data to %s: %s. The heap is full and this disk does not take more;"
                  .formatted(count, path, e)
              + " free space there, or set spark.symshuffle.disk.dir or a larger"
              + " spark.symshuffle.heap.size",
          e);
    }
  }

  /**
   * Writes the index and publishes the map output. One without content is not published: nobody
   * asks for it.
   *
   * <p>If the shuffle was unregistered since this map output was started, nobody will ask for it
   * and nobody would free it: it is given back at once.
   *
   * @return whether it was published
   * @throws IOException if heap and disk are full; the map output is still open then
   */
  boolean commit(IndexBuilder index) throws IOException {
    checkOpen();
    if (index.isEmpty()) {
      open = false;
      store.endWriting(this);
      return false;
    }
    IndexPlace place = writeIndex(index);
    if (file != null) {
      file.close();
    }
    if (faults != null) {
      faults.strike(FaultPoint.PUBLISH);
    }
    boolean published = store.publish(this, owned(), place);
    open = false;
    if (faults != null && published && faults.strikeUnfailing(FaultPoint.PUBLISHED) != null) {
      store.damageEntry(id, faults);
    }
    if (!published) {
      MapOutputStore.LOG.debug("{} comes after the end of its shuffle", id);
      store.free(owned());
    }
    return published;
  }

  /** Gives back what was written. Does nothing after {@link #commit} or a second time. */
  void abort() {
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
      MapOutputStore.LOG.warn("Cannot close {}: {}", file.path(), e.toString());
    }
    store.free(owned());
  }

  void checkOpen() {
    if (!open) {
      throw new IllegalStateException(id + " is committed or aborted already");
    }
  }

  private OwnedOutput owned() {
    return new OwnedOutput(
        id,
        List.copyOf(slabs),
        List.copyOf(deviceSlabs),
        Optional.ofNullable(file).map(DiskFile::path));
  }

  private IndexPlace writeIndex(IndexBuilder index) throws IOException {
    long bytes = index.bytes();
    Optional<MemorySegment> host = allocate(bytes);
    if (host.isPresent()) {
      index.writeTo(host.get());
      if (faults != null && faults.strikeUnfailing(FaultPoint.INDEX) != null) {
        faults.damage(host.get(), FaultKind.BIT);
      }
      return new IndexPlace(Tier.HOST, offset(host.get()), bytes);
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = arena.allocate(bytes, Long.BYTES);
      index.writeTo(copy);
      return new IndexPlace(Tier.DISK, writeToDisk(copy), bytes);
    }
  }
}
