// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.faults;

import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.folder.HeapFile;
import io.symshuffle.heap.folder.HeapHeaderDescriptor;
import io.symshuffle.shuffle.directory.CorruptControlException;
import io.symshuffle.shuffle.directory.IndexPlace;
import io.symshuffle.shuffle.directory.OrphanDirectory;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.layout.Tier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Erases the runs in the heaps of running executors. Neither they nor Spark are told. Directories
 * and indexes stay, since a process checks an index only once.
 */
public final class HeapLoss {
  private static final Logger LOG = LoggerFactory.getLogger(HeapLoss.class);

  private HeapLoss() {}

  /**
   * Fills all runs in the heaps under a base folder with zeros. Call this while no task reads them.
   *
   * @return the number of heaps; without those whose directory is damaged
   * @throws IOException if the folder cannot be listed
   */
  public static int strike(Path base) throws IOException {
    int heaps = 0;
    for (Path file : heaps(base)) {
      heaps += erase(file) ? 1 : 0;
    }
    return heaps;
  }

  /** Returns the files of the heaps under a base folder, also of several hosts. */
  public static List<Path> heaps(Path base) throws IOException {
    return under(base, ".heap");
  }

  /** Returns the files under a folder whose names end like this; ignores removed ones. */
  public static List<Path> under(Path base, String suffix) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        base,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(suffix)) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path removed, IOException e) {
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }

  private static boolean erase(Path file) {
    try (HeapFile heap = HeapFile.open(file).orElse(null)) {
      if (heap == null) {
        return false;
      }
      long start = ControlDescriptor.BYTES;
      for (IndexPlace index : indexes(heap.window())) {
        punch(heap, start, index.offset());
        start = index.offset() + index.bytes();
      }
      punch(heap, start, heap.window().byteSize());
      return true;
    } catch (CorruptControlException | HeapException e) {
      LOG.debug("Another fault has damaged {}", file, e);
      return false;
    }
  }

  private static List<IndexPlace> indexes(MemorySegment window) {
    return OrphanDirectory.of(window).stream()
        .flatMap(directory -> directory.published().stream())
        .map(OrphanDirectory.Output::place)
        .filter(place -> place.tier() == Tier.HOST)
        .sorted(Comparator.comparingLong(IndexPlace::offset))
        .toList();
  }

  private static void punch(HeapFile heap, long start, long end) {
    if (start < end) {
      heap.mapped().file().punchHole(HeapHeaderDescriptor.WINDOW_OFFSET + start, end - start);
    }
  }
}
