// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Finds files that an application of ours did not delete. */
public final class LeakCheck {
  /** How names of our files and folders begin. */
  public static final String OURS = "symshuffle-";

  /** A folder of a user and an application; a jar of ours in Spark's folders is not a leak. */
  private static final Pattern FOLDER = Pattern.compile(OURS + "[0-9]+-.*");

  private LeakCheck() {}

  /**
   * Returns the remaining files.
   *
   * @param heapFolder base folder of the heaps, private to the application
   * @param localFolder Spark's local folder, private to the application
   * @param mapped heap files in any folder that were mapped while it ran
   */
  public static NavigableSet<Path> leftovers(
      Path heapFolder, Path localFolder, Collection<Path> mapped) {
    NavigableSet<Path> left = new TreeSet<>();
    Folders.under(heapFolder).filter(path -> !path.equals(heapFolder)).forEach(left::add);
    Folders.under(localFolder)
        .filter(path -> FOLDER.matcher(path.getFileName().toString()).matches())
        .forEach(left::add);
    mapped.stream().filter(Files::exists).forEach(left::add);
    return left;
  }
}
