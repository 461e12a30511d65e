// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import io.symshuffle.plugin.config.SymShuffleConfig;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where on a host dead applications may have left heaps or runs: the folder for heaps, that for
 * runs, and Spark's local folders, where heaps go that find no room in memory.
 *
 * <p>Spark gives an executor of a standalone worker {@code <local
 * dir>/spark-<uuid>/executor-<uuid>} and removes it with the application. Killed together with its
 * worker, it leaves it, under a name that nobody will have again; so folders of that form beside
 * the own one are looked into as well.
 */
final class SweptPlaces {
  private static final Logger LOG = LoggerFactory.getLogger(SweptPlaces.class);
  private static final String APPLICATION = "spark-*";
  private static final String EXECUTOR = "executor-*";

  private SweptPlaces() {}

  /**
   * The folders to look into.
   *
   * @param localDir the folder on disk that Spark gave this executor
   */
  static Set<Path> of(SymShuffleConfig config, Path localDir) {
    Set<Path> places = new LinkedHashSet<>();
    places.add(config.heapDir());
    config.diskDir().ifPresent(places::add);
    places.add(localDir);
    Path application = localDir.getParent();
    if (matches(localDir, "executor-") && matches(application, "spark-")) {
      addSiblings(application.getParent(), places);
    }
    return places;
  }

  private static boolean matches(Path path, String prefix) {
    return path != null
        && path.getFileName() != null
        && path.getFileName().toString().startsWith(prefix);
  }

  private static void addSiblings(Path root, Set<Path> places) {
    if (root == null) {
      return;
    }
    try (DirectoryStream<Path> applications = Files.newDirectoryStream(root, APPLICATION)) {
      for (Path application : applications) {
        addExecutors(application, places);
      }
    } catch (IOException e) {
      LOG.debug("{} cannot be listed", root, e);
    }
  }

  private static void addExecutors(Path application, Set<Path> places) {
    try (DirectoryStream<Path> executors = Files.newDirectoryStream(application, EXECUTOR)) {
      executors.forEach(places::add);
    } catch (IOException e) {
      // Another user's, or no folder.
      LOG.debug("{} cannot be listed", application, e);
    }
  }
}
