// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.retention;

import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.plugin.config.SymShuffleConfig;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes folders that dead applications have left on this host. This takes a while, so it runs in
 * the background during startup.
 *
 * <p>Spark gives an executor of a standalone worker {@code <local
 * dir>/spark-<uuid>/executor-<uuid>} and removes it with the application. If the executor is killed
 * together with its worker, the folder stays and its name is never used again. So the folders next
 * to the executor's own that have such names are searched, too.
 */
public final class StartupSweep {
  private static final Logger LOG = LoggerFactory.getLogger(StartupSweep.class);
  private static final String APPLICATION = "spark-";
  private static final String EXECUTOR = "executor-";

  private StartupSweep() {}

  /** Sweeps the folder for heaps. */
  public static void run(SymShuffleConfig config) {
    sweep(config.heapDir());
  }

  /**
   * Sweeps all folders where executors of this host may have left heaps or runs.
   *
   * @param localDirs Spark's local folders of this executor
   */
  public static void run(SymShuffleConfig config, List<Path> localDirs) {
    places(config, localDirs).forEach(StartupSweep::sweep);
  }

  private static void sweep(Path base) {
    try {
      List<Path> removed = HeapFolder.sweep(base);
      if (!removed.isEmpty()) {
        LOG.info("Removed {} folders of dead applications under {}", removed.size(), base);
      }
    } catch (RuntimeException e) {
      LOG.warn("Cannot remove the folders of dead applications under {}", base, e);
    }
  }

  /** The folder for heaps, that for runs, and Spark's local folders. */
  static Set<Path> places(SymShuffleConfig config, List<Path> localDirs) {
    Set<Path> places = new LinkedHashSet<>();
    places.add(config.heapDir());
    config.diskDir().ifPresent(places::add);
    localDirs.forEach(localDir -> addPlaces(localDir, places));
    return places;
  }

  private static void addPlaces(Path localDir, Set<Path> places) {
    places.add(localDir);
    Path application = localDir.getParent();
    if (hasPrefix(localDir, EXECUTOR) && hasPrefix(application, APPLICATION)) {
      Path root = application.getParent();
      for (Path other : list(root, APPLICATION)) {
        places.addAll(list(other, EXECUTOR));
      }
    }
  }

  private static boolean hasPrefix(Path path, String prefix) {
    return path != null
        && path.getFileName() != null
        && path.getFileName().toString().startsWith(prefix);
  }

  private static List<Path> list(Path folder, String prefix) {
    if (folder == null) {
      return List.of();
    }
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, prefix + "*")) {
      entries.forEach(found::add);
    } catch (IOException | DirectoryIteratorException e) {
      // Another user's, or not a folder.
      LOG.debug("{} cannot be listed", folder, e);
    }
    return found;
  }
}
