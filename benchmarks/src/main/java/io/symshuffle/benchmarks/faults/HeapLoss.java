// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.faults;

import io.symshuffle.ffi.MappedFile;
import io.symshuffle.ffi.NativeFile;
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
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Erases the runs in the heaps of running executors. Neither they nor Spark are told. Directories
 * and indexes stay, since a process checks an index only once.
 */
public final class HeapLoss {
  private static final Logger LOG = LoggerFactory.getLogger(HeapLoss.class);

  /** First byte of the window in a heap file. */
  private static final long WINDOW_OFFSET = 2 << 20;

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
    List<Path> heaps = new ArrayList<>();
    Files.walkFileTree(
        base,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".heap")) {
              heaps.add(file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path removed, IOException e) {
            return FileVisitResult.CONTINUE;
          }
        });
    return heaps;
  }

  private static boolean erase(Path file) {
    Optional<NativeFile> opened = NativeFile.open(file);
    if (opened.isEmpty()) {
      return false;
    }
    try (MappedFile mapped = MappedFile.map(opened.get(), opened.get().status().bytes())) {
      MemorySegment window = mapped.memory().asSlice(WINDOW_OFFSET);
      long start = ControlDescriptor.BYTES;
      for (IndexPlace index : indexes(window)) {
        punch(opened.get(), start, index.offset());
        start = index.offset() + index.bytes();
      }
      punch(opened.get(), start, window.byteSize());
      return true;
    } catch (CorruptControlException e) {
      LOG.debug("Another fault has damaged the directory in {}", file, e);
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

  private static void punch(NativeFile file, long start, long end) {
    if (start < end) {
      file.punchHole(WINDOW_OFFSET + start, end - start);
    }
  }
}
