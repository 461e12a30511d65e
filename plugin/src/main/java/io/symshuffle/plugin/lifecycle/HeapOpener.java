// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import io.symshuffle.ffi.NativeFile;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HeapPlace;
import io.symshuffle.heap.host.HeapSizing;
import io.symshuffle.heap.host.HostHeap;
import io.symshuffle.heap.host.ProcessLimits;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.shuffle.layout.ControlDescriptor;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Chooses where a PE's heap and its runs on disk go, and creates both. */
final class HeapOpener {
  /**
   * An open heap.
   *
   * @param folder the application's folder on this host
   * @param base the folder that contains {@code folder}
   * @param diskFolders the PE's folders for runs that do not fit into the heap, one per disk
   * @param arenaBytes the capacity of the heap
   * @param warnings sentences for the user about places that could not be used and limits that are
   *     too low
   */
  record Opened(
      HeapFolder folder,
      HostHeap heap,
      Path base,
      List<Path> diskFolders,
      long arenaBytes,
      List<String> warnings) {}

  /** Most bytes that a PE's disk folder has in addition to its base. */
  private static final int MAX_FOLDER_NAME_BYTES = 72;

  /** Executors with fewer than twice as many cores have one file. */
  private static final int CORES_PER_FILE = 4;

  private static final int MAX_FILES = 16;
  private static final long MIN_FILE_BYTES = 1L << 30;

  private final SymShuffleConfig config;
  private final List<Path> localDirs;
  private final boolean encrypted;
  private final boolean ownContainer;
  private final int cores;

  /**
   * @param localDirs Spark's local folders of this executor, at least one
   * @param encrypted whether no row may be on disk in clear text, so that the heap, which is not
   *     encrypted, must be in memory
   * @param ownContainer whether this executor has its own container
   * @param cores how many tasks this executor runs at the same time, 1 or more
   */
  HeapOpener(
      SymShuffleConfig config,
      List<Path> localDirs,
      boolean encrypted,
      boolean ownContainer,
      int cores) {
    this.config = config;
    this.localDirs = List.copyOf(localDirs);
    this.encrypted = encrypted;
    this.ownContainer = ownContainer;
    this.cores = cores;
  }

  /**
   * Creates the heap of a PE.
   *
   * @param pesOfHost how many PEs share this host
   * @return the heap, open
   * @throws HeapException if neither the heap's folder nor the disk has room, or the heap would be
   *     on disk although files are encrypted; the message has the remedy
   */
  Opened open(FolderToken token, int pe, int pesOfHost) {
    List<String> faults = new ArrayList<>();
    List<Path> usable = usable(localDirs, faults);
    List<Path> diskBases = config.diskDir().map(List::of).orElse(usable);
    List<String> warnings = new ArrayList<>(config.diskDir().isPresent() ? List.of() : faults);
    HeapSizing sizing =
        HeapSizing.probe(
            config.heapDir(),
            Stream.concat(diskBases.stream(), usable.stream()).distinct().toList(),
            config
                .heapSize()
                .map(size -> OptionalLong.of(size.bytes()))
                .orElse(OptionalLong.empty()),
            pesOfHost,
            ownContainer,
            config.pinnedBytes());
    if (encrypted && !sizing.memoryBacked()) {
      throw new HeapException(
          "the heap would be on disk in %s, in clear text, although spark.io.encryption.enabled is true: set spark.symshuffle.heap.dir to a tmpfs with enough space. %s"
              .formatted(sizing.base(), sizing.warning().orElse("")));
    }
    sizing.warning().ifPresent(warnings::add);
    long windowBytes = ShuffleRuntime.windowBytes(sizing.bytes());
    int files = config.heapFiles().orElseGet(() -> files(windowBytes, cores));
    ProcessLimits.probe().shortage(pesOfHost - 1, files, 0).ifPresent(warnings::add);
    HeapFolder folder = HeapFolder.open(sizing.base(), token, diskBases);
    List<NativeFile> diskHolds;
    try {
      diskHolds = holdDisks(folder);
    } catch (HeapException e) {
      if (diskBases.equals(usable)) {
        throw e;
      }
      warnings.add(
          "Runs that do not fit into the heap go to %s, because %s."
              .formatted(text(usable), e.getMessage()));
      folder = HeapFolder.open(sizing.base(), token, usable);
      diskHolds = holdDisks(folder);
    }
    boolean opened = false;
    try {
      HostHeap heap = HostHeap.create(folder, pe, windowBytes, files);
      try {
        // After the hold: a sweep removes a folder that nobody holds, with its contents.
        List<Path> diskFolders = folder.diskFolders(pe);
        diskHolds.forEach(heap::alsoHold);
        opened = true;
        return new Opened(
            folder, heap, sizing.base(), diskFolders, sizing.bytes(), List.copyOf(warnings));
      } finally {
        if (!opened) {
          heap.close();
        }
      }
    } finally {
      if (!opened) {
        diskHolds.forEach(NativeFile::close);
      }
    }
  }

  /**
   * Returns how many files a heap has. With 16 threads per file, memory took 3.2 s of a core per
   * GiB on a machine with 32 cores, with one thread per file 1.0 s.
   */
  static int files(long windowBytes, int cores) {
    long most = Math.min(MAX_FILES, windowBytes / MIN_FILE_BYTES);
    return (int) Math.max(1, Math.min(most, cores / CORES_PER_FILE));
  }

  /**
   * Returns the local folders that can be used, or all of them if none can, so that the first one's
   * error is reported.
   */
  private static List<Path> usable(List<Path> localDirs, List<String> faults) {
    List<Path> usable = new ArrayList<>();
    long bytes = 0;
    for (Path dir : localDirs) {
      bytes += dir.toString().getBytes(StandardCharsets.UTF_8).length + MAX_FOLDER_NAME_BYTES;
      Optional<String> fault =
          bytes > ControlDescriptor.MAX_DISK_FOLDERS_BYTES
              ? Optional.of("the paths of so many local folders are too long")
              : HeapPlace.probe(dir, "spark.local.dir").fault();
      if (fault.isPresent()) {
        faults.add(
            "Runs that do not fit into the heap do not go to %s, because %s."
                .formatted(dir, fault.get()));
      } else {
        usable.add(dir);
      }
    }
    if (usable.isEmpty()) {
      faults.clear();
      return localDirs;
    }
    return usable;
  }

  private static List<NativeFile> holdDisks(HeapFolder folder) {
    List<NativeFile> holds = new ArrayList<>();
    boolean complete = false;
    try {
      folder.diskBases().forEach(base -> folder.holdDisk(base).ifPresent(holds::add));
      complete = true;
      return holds;
    } finally {
      if (!complete) {
        holds.forEach(NativeFile::close);
      }
    }
  }

  private static String text(List<Path> folders) {
    return folders.stream().map(Path::toString).collect(Collectors.joining(", "));
  }
}
