// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import io.symshuffle.heap.FolderToken;
import io.symshuffle.heap.HeapFolder;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes folders of heaps, so that no memory outlives its application:
 *
 * <ul>
 *   <li>on its own host the driver removes them when the application ends;
 *   <li>on any other host the last executor does so when it stops and knows that the application
 *       has ended, because the driver said so or is gone;
 *   <li>what is left where all of them were killed goes when the next application starts there.
 * </ul>
 *
 * <p>An executor that stops while the application goes on leaves its files: others may be reading.
 */
final class HeapCleaner {
  private static final Logger LOG = LoggerFactory.getLogger(HeapCleaner.class);

  private HeapCleaner() {}

  /** Removes what dead applications left under a folder, without delaying the start. */
  static void sweepInBackground(Path base) {
    sweepInBackground(() -> Set.of(base));
  }

  /** The same for several folders, which are looked for in the background, too. */
  static void sweepInBackground(Supplier<Set<Path>> bases) {
    Thread.ofPlatform()
        .daemon()
        .name("symshuffle-sweep")
        .start(() -> bases.get().forEach(HeapCleaner::sweep));
  }

  /** Removes an application's folders under each of some folders. */
  static void remove(FolderToken token, Set<String> bases) {
    for (String base : bases) {
      try {
        Path path = Path.of(base);
        // Its disk folders are found by way of the heap files.
        HeapFolder.open(path, token, path).remove();
      } catch (RuntimeException e) {
        LOG.warn("What this application left under {} could not be removed", base, e);
      }
    }
  }

  private static void sweep(Path base) {
    try {
      List<Path> removed = HeapFolder.sweep(base);
      if (!removed.isEmpty()) {
        LOG.info("Removed {} folders of dead applications under {}", removed.size(), base);
      }
    } catch (RuntimeException e) {
      LOG.warn("What dead applications left under {} could not be removed", base, e);
    }
  }
}
