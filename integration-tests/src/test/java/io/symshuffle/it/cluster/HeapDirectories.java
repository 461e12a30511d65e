// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.cluster;

import io.symshuffle.shuffle.directory.OrphanDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.Collection;

/** Reads the directories of heaps from outside, while their owners run or afterwards. */
public final class HeapDirectories {
  /** First byte of the window in a heap file. */
  private static final long WINDOW_OFFSET = 2 << 20;

  private HeapDirectories() {}

  /**
   * Returns the number of published map outputs.
   *
   * @param heaps heap files or their copies
   */
  public static long entries(Collection<Path> heaps) {
    long entries = 0;
    for (Path heap : heaps) {
      try (Arena arena = Arena.ofConfined();
          FileChannel channel = FileChannel.open(heap)) {
        entries +=
            OrphanDirectory.of(
                    channel.map(
                        MapMode.READ_ONLY, WINDOW_OFFSET, channel.size() - WINDOW_OFFSET, arena))
                .orElseThrow()
                .published()
                .size();
      } catch (IOException e) {
        throw new UncheckedIOException("reading the directory in " + heap, e);
      }
    }
    return entries;
  }
}
