// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.devicerows;

import static java.util.Objects.requireNonNull;

import io.symshuffle.cuda.DeviceRange;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.RunView;
import io.symshuffle.shuffle.read.MapSource;

/**
 * The requested blocks of one run of the DEVICE tier, which are contiguous. The numbers are read
 * from the index once, since it may be another process's memory.
 *
 * @param map the map output that contains them
 * @param pe the owner of the map output
 * @param run the run
 * @param memory the run as this GPU addresses it
 * @param first number of the first block in the run
 * @param end number of the last block, plus one
 * @param start where the first block starts in the run, in bytes
 * @param bytes total size of the blocks, in bytes
 */
record DeviceBlocks(
    MapSource map,
    int pe,
    RunView run,
    DeviceRange memory,
    int first,
    int end,
    long start,
    long bytes) {
  DeviceBlocks {
    requireNonNull(map, "map is null");
    requireNonNull(run, "run is null");
    requireNonNull(memory, "memory is null");
    if (first < 0 || first >= end || end > run.blocks()) {
      throw new IllegalArgumentException(
          "blocks %d to %d of a run of %d".formatted(first, end, run.blocks()));
    }
    if (bytes <= 0 || start < 0 || start > memory.bytes() - bytes) {
      throw new CorruptIndexException(
          run.id(),
          "blocks of %d bytes at %d of a run of %d bytes".formatted(bytes, start, memory.bytes()));
    }
  }

  /**
   * Blocks of a run.
   *
   * @param memory the run, as this GPU addresses it
   * @throws CorruptIndexException if the run is not aligned to 8 bytes
   */
  static DeviceBlocks of(
      MapSource map, int pe, RunView run, DeviceRange memory, int first, int end) {
    if ((run.place() & 7) != 0) {
      throw new CorruptIndexException(
          run.id(), "run of %d bytes at %d".formatted(run.bytes(), run.place()));
    }
    long start = run.start(first);
    return new DeviceBlocks(map, pe, run, memory, first, end, start, run.start(end) - start);
  }

  /** The blocks before {@code block}. */
  DeviceBlocks until(int block) {
    return new DeviceBlocks(map, pe, run, memory, first, block, start, run.start(block) - start);
  }

  /** The blocks from {@code block} on. */
  DeviceBlocks from(int block) {
    long from = run.start(block);
    return new DeviceBlocks(map, pe, run, memory, block, end, from, start + bytes - from);
  }

  /** The memory of the blocks. */
  DeviceRange range() {
    return memory.slice(start, bytes);
  }
}
