// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.Slab;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.host.WindowCopies;
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
 * @param copies how to write runs to the window without mapping it, if that is faster here
 */
public record HeapStorage(
    MemorySegment window,
    SlabAllocator slabs,
    Optional<SlabAllocator> deviceSlabs,
    DiskFolders disk,
    Optional<WindowCopies> copies)
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
  public void write(MemorySegment run, MemorySegment to) throws IOException {
    if (copies.isEmpty() || !run.isNative()) {
      to.copyFrom(run);
      return;
    }
    try {
      copies.get().write(to.address() - window.address(), run);
    } catch (HeapException e) {
      // For example, a limit of file sizes: mapped memory has none, and this is reserved.
      LOG.debug("Writing to the mapped heap", e);
      to.copyFrom(run);
    }
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
