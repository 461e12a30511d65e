// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Storage in the heaps and the disk folders of this PE. Thread-safe.
 *
 * @param window this PE's window of the host heap
 * @param slabs the allocator of the window's arena
 * @param deviceSlabs the allocator of this PE's window of the device heap, if there is one
 * @param disk this PE's folders for the DISK tier
 */
public record HeapStorage(
    MemorySegment window,
    SlabAllocator slabs,
    Optional<SlabAllocator> deviceSlabs,
    DiskFolders disk)
    implements OutputStorage {
  private static final Logger LOG = LoggerFactory.getLogger(HeapStorage.class);

  @Override
  public Optional<Slab> allocateHost(long bytes) {
    return slabs.allocate(bytes);
  }

  @Override
  public Optional<Slab> allocateDevice(long bytes) {
    return deviceSlabs.flatMap(device -> device.allocate(bytes));
  }

  @Override
  public void write(MemorySegment run, MemorySegment to) {
    to.copyFrom(run);
  }

  @Override
  public long append(DiskFile file, MemorySegment bytes) throws IOException {
    return file.append(bytes);
  }

  @Override
  public void free(OwnedOutput output) {
    output.hostSlabs().forEach(slabs::free);
    output.deviceSlabs().forEach(slab -> deviceSlabs.orElseThrow().free(slab));
    output
        .file()
        .ifPresent(
            file -> {
              try {
                DiskFile.delete(file);
              } catch (IOException e) {
                LOG.warn("Cannot delete {} of {}: {}", file, output.id(), e.toString());
              }
            });
  }
}
