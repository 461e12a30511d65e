// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.HeapException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeapSizingTest {
  private static final long MIB = 1L << 20;
  private static final Path SHM = Path.of("/dev/shm");
  private static final Path DISK = Path.of("/data");

  private static HeapPlace shm(long mib) {
    return new HeapPlace(SHM, mib * MIB, true, Optional.empty());
  }

  private static List<HeapPlace> disk(long mib) {
    return List.of(disk(DISK, mib));
  }

  private static HeapPlace disk(Path base, long mib) {
    return new HeapPlace(base, mib * MIB, false, Optional.empty());
  }

  private static MemoryLimits memory(long mib) {
    return new MemoryLimits(OptionalLong.of(mib * MIB), OptionalLong.empty());
  }

  /** All in MiB; requested 0 is auto, memory 0 is unknown. */
  @ParameterizedTest
  @CsvSource({
    // shm, disk, memory, requested, PEs, where, bytes
    "10240, 99999, 0, 0, 1, /dev/shm, 8192", // 80% of the free space
    "10240, 99999, 0, 0, 3, /dev/shm, 2730", // shared, rounded down to 2 MiB
    "65536, 99999, 32768, 0, 2, /dev/shm, 8192", // half of the memory, shared
    "64, 99999, 32768, 0, 1, /data, 16384", // Docker's default of 64 MiB
    "64, 1000, 32768, 0, 2, /data, 400", // 80% of the disk
    "64, 99999, 100, 0, 1, /data, 64", // little memory: at least the minimum
    "0, 99999, 32768, 0, 8, /data, 2048",
    "1024, 99999, 0, 4096, 2, /dev/shm, 4096", // as requested, although it exceeds the free space
    "100, 99999, 32768, 0, 2, /data, 8192", // less than the minimum of 64 per PE
    "100, 99999, 0, 4096, 2, /dev/shm, 4096", // requested: the other PE may be in another pod
    "50, 99999, 0, 4096, 1, /data, 4096",
    "50, 99999, 0, 32, 1, /dev/shm, 32", // less than the minimum, but as much as requested
    "64, 10, 0, 64, 1, /dev/shm, 64",
  })
  void choosesFolderAndLength(
      long shm, long disk, long memory, long requested, int pes, String where, long mib) {
    HeapSizing sizing =
        HeapSizing.decide(
            shm(shm),
            disk(disk),
            memory == 0
                ? new MemoryLimits(OptionalLong.empty(), OptionalLong.empty())
                : memory(memory),
            0,
            requested == 0 ? OptionalLong.empty() : OptionalLong.of(requested * MIB),
            pes);

    assertEquals(where, sizing.base().toString());
    assertEquals(mib * MIB, sizing.bytes());
    assertEquals(sizing.base().equals(SHM), sizing.memoryBacked());
    assertEquals(sizing.base().equals(DISK), sizing.warning().isPresent());
  }

  @Test
  void takesTheTighterOfMemoryAndControlGroup() {
    MemoryLimits limits =
        new MemoryLimits(OptionalLong.of(32768 * MIB), OptionalLong.of(4096 * MIB));

    assertEquals(
        2048 * MIB,
        HeapSizing.decide(shm(65536), disk(0), limits, 0, OptionalLong.empty(), 1).bytes());
  }

  /** All in MiB. */
  @ParameterizedTest
  @CsvSource({
    // limit of the group, this JVM, PEs, where, bytes
    "36864, 36044, 1, /dev/shm, 820", // a pod of 36 GiB with a Java heap of 32 GiB
    "65536, 4505, 1, /dev/shm, 32768", // half of the limit
    "65536, 4505, 8, /dev/shm, 3686", // 8 executors in one container
    "26624, 18022, 8, /dev/shm, 8602", // does not hold 8 of them: one container each
    "36864, 36800, 1, /dev/shm, 64",
    "36864, 36810, 1, /data, 64", // no room: a file in the page cache
    "36864, 99999, 1, /data, 64",
  })
  void leavesRoomForTheJvmInTheControlGroup(long limit, long jvm, int pes, String where, long mib) {
    MemoryLimits limits =
        new MemoryLimits(OptionalLong.of(999_999 * MIB), OptionalLong.of(limit * MIB));

    HeapSizing sizing =
        HeapSizing.decide(shm(99_999), disk(99_999), limits, jvm * MIB, OptionalLong.empty(), pes);

    assertEquals(where, sizing.base().toString());
    assertEquals(mib * MIB, sizing.bytes());
  }

  /** All in MiB; a limit of 0 is none. */
  @ParameterizedTest
  @CsvSource({
    // file system, limit of the group, PEs that it is divided by
    "17408, 36864, 1", // a volume of the pod
    "64, 36864, 1", // no volume: Docker's default
    "36864, 36864, 1", // a volume without a size has that of the limit
    "65536, 36864, 8", // the node's /dev/shm
    "17408, 0, 8",
    "0, 36864, 8", // unknown
  })
  void volumeThatFitsIntoTheContainerBelongsToIt(long total, long limit, int sharers) {
    MemoryLimits limits =
        new MemoryLimits(
            OptionalLong.of(999_999 * MIB),
            limit == 0 ? OptionalLong.empty() : OptionalLong.of(limit * MIB));

    assertEquals(sharers, HeapSizing.sharers(total * MIB, limits, 8));
  }

  @Test
  void reportsWhyAFolderCannotBeUsed() {
    HeapPlace missing = new HeapPlace(SHM, 0, false, Optional.of("it does not exist"));

    HeapSizing sizing =
        HeapSizing.decide(missing, disk(9999), memory(8192), 0, OptionalLong.empty(), 1);

    assertEquals(
        "The heap is in /data instead of /dev/shm, which is slower: it does not exist.",
        sizing.warning().orElseThrow());
    HeapException e =
        assertThrows(
            HeapException.class,
            () -> HeapSizing.decide(missing, disk(10), memory(8192), 0, OptionalLong.empty(), 1));
    assertTrue(e.getMessage().contains("it does not exist"), e.getMessage());
    assertTrue(e.getMessage().contains("/data has 10 MiB free"), e.getMessage());
  }

  @Test
  void skipsFullDisks() {
    HeapPlace full = disk(Path.of("/full"), 10);
    HeapPlace broken = new HeapPlace(Path.of("/broken"), 0, false, Optional.of("it is broken"));
    HeapPlace roomy = disk(Path.of("/roomy"), 1000);
    HeapPlace roomier = disk(Path.of("/roomier"), 9999);

    assertEquals(roomy.base(), fallback(full, broken, roomy, roomier).base());
    String message = assertThrows(HeapException.class, () -> fallback(full, broken)).getMessage();
    assertTrue(message.contains("/full has 10 MiB free"), message);
    assertTrue(message.endsWith("; it is broken"), message);
  }

  private static HeapSizing fallback(HeapPlace... disks) {
    return HeapSizing.decide(shm(1), List.of(disks), memory(8192), 0, OptionalLong.empty(), 1);
  }

  @Test
  void warnsOfFileSystemsThatNeedSpaceToOverwriteData() {
    HeapSizing sizing =
        HeapSizing.decide(shm(1), disk(9999), memory(8192), 0, OptionalLong.empty(), 1);
    assertEquals(sizing, sizing.on("ext4"));
    assertEquals(
        sizing.warning().orElseThrow()
            + " The heap in /data is on zfs, which needs free space even to overwrite data:"
            + " executors die when it is full. Set spark.symshuffle.heap.dir to a tmpfs.",
        sizing.on("zfs").warning().orElseThrow());
  }

  @Test
  void probesThisHost(@TempDir Path folder) {
    HeapPlace place = HeapPlace.probe(folder, "spark.symshuffle.disk.dir");
    assertEquals(Optional.empty(), place.fault());
    assertTrue(place.usableBytes() > 0);

    HeapPlace missing = HeapPlace.probe(folder.resolve("missing"), "spark.symshuffle.disk.dir");
    assertTrue(missing.fault().orElseThrow().contains("set spark.symshuffle.disk.dir to another"));

    HeapSizing sizing =
        HeapSizing.probe(folder, List.of(folder), OptionalLong.of(1 << 20), 1, true, 0);
    assertEquals(1 << 20, sizing.bytes());
  }
}
