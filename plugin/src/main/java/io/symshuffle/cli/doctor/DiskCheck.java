// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.heap.HeapPlace;
import java.nio.file.Path;
import java.util.List;

/** The folder for what the heap has no room for. */
final class DiskCheck implements Check {
  private static final long LITTLE = 10L << 30;

  static final Ailment UNUSABLE =
      new Ailment(
          "disk-folder-unusable",
          "Tasks fail when the heap is full, with a sentence that names the folder",
          "the folder for the DISK tier is missing or not ours to write to",
          "set spark.local.dir (or spark.symshuffle.disk.dir) to a folder on local disk that the"
              + " executors may write to");
  static final Ailment LITTLE_ROOM =
      new Ailment(
          "disk-nearly-full",
          "Large shuffles fail: no room for a run in heap or on disk",
          "the file system of the DISK tier has little room left",
          "free some space, or set spark.local.dir to a larger disk");
  static final Ailment MEMORY_AS_DISK =
      new Ailment(
          "disk-is-memory",
          "Executors are killed for lack of memory when the heap is full",
          "the folder of the DISK tier is a tmpfs, so what leaves the heap stays in memory",
          "set spark.local.dir (or spark.symshuffle.disk.dir) to a folder on a disk");

  @Override
  public String title() {
    return "local disk";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(UNUSABLE, LITTLE_ROOM, MEMORY_AS_DISK);
  }

  @Override
  public List<Finding> examine(Host host) {
    Path folder = Expectation.diskDir(host);
    HeapPlace place = host.instruments().place(folder, "spark.local.dir");
    if (place.fault().isPresent()) {
      return List.of(Finding.fail(UNUSABLE, place.fault().get()));
    }
    String found = "%s has %s free".formatted(folder, Expectation.gib(place.usableBytes()));
    if (place.memoryBacked()) {
      return List.of(Finding.warn(MEMORY_AS_DISK, found + ", and is memory"));
    }
    return List.of(
        place.usableBytes() < LITTLE ? Finding.warn(LITTLE_ROOM, found) : Finding.ok(found));
  }
}
