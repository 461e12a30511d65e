// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.plugin.lifecycle;

import static java.util.Objects.requireNonNull;

import io.symshuffle.heap.FolderHold;
import io.symshuffle.heap.FolderToken;
import io.symshuffle.heap.HeapException;
import io.symshuffle.heap.HeapFolder;
import io.symshuffle.heap.HeapSizing;
import io.symshuffle.heap.HostHeap;
import io.symshuffle.heap.ProcessLimits;
import io.symshuffle.plugin.config.ByteSize;
import io.symshuffle.plugin.config.SymShuffleConfig;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Chooses where a PE's heap and its runs on disk go, and creates both. */
final class HeapOpener {
  /**
   * An open heap.
   *
   * @param folder the application's folder on this host
   * @param heap the PE's heap
   * @param base the folder that contains {@code folder}
   * @param diskFolder the PE's folder for runs that do not fit into the heap
   * @param arenaBytes the capacity of the heap
   * @param warnings sentences for the user about places that could not be used and limits that are
   *     too low
   */
  record Opened(
      HeapFolder folder,
      HostHeap heap,
      Path base,
      Path diskFolder,
      long arenaBytes,
      List<String> warnings) {}

  private final SymShuffleConfig config;
  private final Path localDir;

  /**
   * Creates an opener.
   *
   * @param localDir Spark's local folder of this executor
   */
  HeapOpener(SymShuffleConfig config, Path localDir) {
    this.config = requireNonNull(config, "config is null");
    this.localDir = requireNonNull(localDir, "localDir is null");
  }

  /**
   * Creates the heap of a PE.
   *
   * @param pesOfHost how many PEs share this host
   * @return the heap, open
   * @throws HeapException if neither the heap's folder nor the disk has room; the message has the
   *     remedy
   */
  Opened open(FolderToken token, int pe, int pesOfHost) {
    List<String> warnings = new ArrayList<>();
    Path diskBase = config.diskDir().orElse(localDir);
    HeapSizing sizing = size(diskBase, pesOfHost);
    sizing.warning().ifPresent(warnings::add);
    ProcessLimits.probe().shortage(pesOfHost - 1).ifPresent(warnings::add);
    HeapFolder folder = HeapFolder.open(sizing.base(), token, diskBase);
    Optional<FolderHold> diskHold;
    try {
      diskHold = folder.holdDisk();
    } catch (HeapException e) {
      if (diskBase.equals(localDir)) {
        throw e;
      }
      warnings.add(
          "Runs that do not fit into the heap go to %s, because %s."
              .formatted(localDir, e.getMessage()));
      folder = HeapFolder.open(sizing.base(), token, localDir);
      diskHold = folder.holdDisk();
    }
    boolean opened = false;
    try {
      HostHeap heap = HostHeap.create(folder, pe, ShuffleRuntime.windowBytes(sizing.bytes()));
      try {
        // After the hold: a sweep removes a folder that nobody holds, with its contents.
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
