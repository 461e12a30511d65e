// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.bootstrap;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.FolderHold;
import io.symshuffle.heap.FolderToken;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.HeapFolder;
import io.symshuffle.heap.HeapSizing;
import io.symshuffle.heap.ShmHeap;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Decides where a PE's heap and its runs on disk go, and makes both places. */
final class HeapOpener {
  /**
   * A heap that was made.
   *
   * @param folder the application's folder on this host
   * @param heap the own heap
   * @param base the folder under which {@code folder} lies
   * @param diskFolder the own folder for runs that the heap has no room for
   * @param arenaBytes what the heap has room for
   * @param warnings sentences for the user on what is not where it should be
   */
  record Opened(
      HeapFolder folder,
      ShmHeap heap,
      Path base,
      Path diskFolder,
      long arenaBytes,
      List<String> warnings) {}

  private final SymShuffleConfig config;
  private final Path localDir;

  /**
   * Makes an opener.
   *
   * @param localDir the folder on disk that Spark gives this executor
   */
  HeapOpener(SymShuffleConfig config, Path localDir) {
    this.config = requireNonNull(config, "config is null");
    this.localDir = requireNonNull(localDir, "localDir is null");
  }

  /**
   * Makes the heap of a PE.
   *
   * @param pesOfHost how many PEs share this host
   * @return the heap, open
   * @throws HeapException if neither the heap's folder nor the disk has room; the message says what
   *     to do
   */
  Opened open(FolderToken token, int pe, int pesOfHost) {
    List<String> warnings = new ArrayList<>();
    Path diskBase = config.diskDir().orElse(localDir);
    HeapSizing sizing = size(diskBase, pesOfHost);
    sizing.warning().ifPresent(warnings::add);
    HeapFolder folder = HeapFolder.open(sizing.base(), token, diskBase);
    Optional<FolderHold> diskHold;
    try {
      diskHold = folder.holdDisk();
    } catch (HeapException e) {
      if (diskBase.equals(localDir)) {
        throw e;
      }
      warnings.add(
          "Runs that the heap has no room for go to %s, because %s."
              .formatted(localDir, e.getMessage()));
      folder = HeapFolder.open(sizing.base(), token, localDir);
      diskHold = folder.holdDisk();
    }
    boolean opened = false;
    try {
      ShmHeap heap = ShmHeap.create(folder, pe, ShuffleRuntime.windowBytes(sizing.bytes()));
      try {
        // Only now: what nobody holds may be swept, with all that is in it.
        Path diskFolder = folder.diskFolder(pe);
        diskHold.ifPresent(heap::alsoHold);
        opened = true;
        return new Opened(
            folder, heap, sizing.base(), diskFolder, sizing.bytes(), List.copyOf(warnings));
      } finally {
        if (!opened) {
          heap.close();
        }
      }
    } finally {
      if (!opened) {
        diskHold.ifPresent(FolderHold::close);
      }
    }
  }

  private HeapSizing size(Path diskBase, int pesOfHost) {
    OptionalLong requested =
        config.heapSize().map(ByteSize::bytes).map(OptionalLong::of).orElse(OptionalLong.empty());
    try {
      return HeapSizing.probe(config.heapDir(), diskBase, requested, pesOfHost);
    } catch (HeapException e) {
      if (diskBase.equals(localDir)) {
        throw e;
      }
      return HeapSizing.probe(config.heapDir(), localDir, requested, pesOfHost);
    }
  }
}
