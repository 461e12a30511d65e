// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.output;

import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.SlabBacking;
import io.symshuffle.shuffle.compress.Codec;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.directory.OutputDirectory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Builds indexes without a heap. */
final class Indexes {
  private Indexes() {}

  /** A builder that only lists runs. */
  static RowOutputBuilder builder(MapOutputId id, int partitions) {
    SlabAllocator slabs = new SlabAllocator(0, 64, SlabBacking.none(), 64);
    HeapStorage storage =
        new HeapStorage(
            MemorySegment.NULL,
            slabs,
            Optional.empty(),
            new DiskFolders(List.of(Path.of("none")), Optional.empty(), Codec.NONE),
            Optional.empty());
    OutputDirectory directory =
        new OutputDirectory() {
          @Override
          public void publish(MapOutputId published, IndexPlace place) {
            throw new UnsupportedOperationException();
          }

          @Override
          public boolean erase(MapOutputId erased) {
            throw new UnsupportedOperationException();
          }
        };
    return new MapOutputStore(storage, directory, () -> shuffle -> false).buildRows(id, partitions);
  }

  /** The index that a builder writes, into memory that is not zero. */
  static MemorySegment index(MapOutputBuilder builder) {
    MemorySegment index = Arena.ofAuto().allocate(builder.indexBytes(), Long.BYTES);
    index.fill((byte) -1);
    builder.writeIndex(index);
    return index;
  }
}
