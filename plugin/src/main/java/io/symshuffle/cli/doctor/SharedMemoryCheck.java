// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.cli.doctor;

import io.symshuffle.heap.HeapPlace;
import io.symshuffle.plugin.config.Settings;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The folder of the heap: there, ours to write to, memory, and large enough. */
final class SharedMemoryCheck implements Check {
  private static final long SMALL = 256L << 20;

  static final Ailment UNUSABLE =
      new Ailment(
          "heap-folder-unusable",
          "The log warns: The heap is in ... instead of /dev/shm, which is slower",
          "the folder of spark.symshuffle.heap.dir is missing, read-only, or not safe to write to",
          "mount it (mount -t tmpfs -o size=50% tmpfs /dev/shm; docker run --shm-size=8g; in"
              + " Kubernetes an emptyDir with medium: Memory at /dev/shm), or set"
              + " spark.symshuffle.heap.dir to a tmpfs that you may write to");
  static final Ailment SMALL_SPACE =
      new Ailment(
          "shared-memory-small",
          "The log warns that the heap is on local disk; or most bytes are in the DISK tier",
          "the shared-memory file system is small; Docker gives 64 MiB unless told otherwise",
          "docker run --shm-size=8g; in Kubernetes an emptyDir with medium: Memory and a sizeLimit"
              + " at /dev/shm; elsewhere mount -o remount,size=50% /dev/shm");
  static final Ailment NOT_MEMORY =
      new Ailment(
          "heap-on-disk",
          "Shuffles are slower than they could be, and the disk is busy",
          "spark.symshuffle.heap.dir lies on a disk",
          "set spark.symshuffle.heap.dir=/dev/shm, or another tmpfs");

  @Override
  public String title() {
    return "shared memory";
  }

  @Override
  public List<Ailment> ailments() {
    return List.of(UNUSABLE, SMALL_SPACE, NOT_MEMORY);
  }

  @Override
  public List<Finding> examine(Host host) {
    Path folder = Expectation.heapDir(host);
    HeapPlace place = host.instruments().place(folder, Settings.HEAP_DIR.key());
    if (place.fault().isPresent()) {
      return List.of(Finding.warn(UNUSABLE, place.fault().get()));
    }
    Optional<String> mount = mount(host, folder);
    if (mount.filter(text -> Arrays.asList(text.split("[ ,]", -1)).contains("ro")).isPresent()) {
      return List.of(Finding.warn(UNUSABLE, folder + " is mounted read-only: " + mount.get()));
    }
    String free =
        place.usableBytes() == Long.MAX_VALUE ? "no limit" : Expectation.gib(place.usableBytes());
    String found =
        "%s has %s free%s".formatted(folder, free, mount.map(m -> " (" + m + ")").orElse(""));
    if (!place.memoryBacked()) {
      return List.of(Finding.warn(NOT_MEMORY, found));
    }
    OptionalLong wanted = Expectation.heapBytes(host);
    if (place.usableBytes() < Math.max(SMALL, wanted.orElse(0))) {
      String why =
          wanted.isPresent()
              ? ", and one heap may take " + Expectation.gib(wanted.getAsLong())
              : "";
      return List.of(Finding.warn(SMALL_SPACE, found + why));
    }
    return List.of(Finding.ok(found));
  }

  /** The type and options of the mount that a folder lies in, as the kernel lists them. */
  private static Optional<String> mount(Host host, Path folder) {
    return host.lines("proc/self/mountinfo").stream()
        .map(line -> line.split(" ", -1))
        .filter(fields -> fields.length > 6 && folder.startsWith(fields[4]))
        .max(Comparator.comparingInt(fields -> fields[4].length()))
        .map(
            fields -> {
              int dash = Arrays.asList(fields).indexOf("-");
              String type = dash > 0 && dash + 1 < fields.length ? fields[dash + 1] : "?";
              return type + " " + fields[5];
            });
  }
}
