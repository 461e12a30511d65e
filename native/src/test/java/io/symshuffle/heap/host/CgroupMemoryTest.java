// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.heap.FakeBacking;
import io.symshuffle.heap.SlabAllocator;
import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Heaps in control groups: on files as the kernel writes them, and in a real group. */
class CgroupMemoryTest {
  private static final long MIB = 1L << 20;

  @TempDir Path root;
  private final FakeBacking fake = new FakeBacking();
  private long nanos;

  @BeforeEach
  void startGroup() throws IOException {
    write("proc/self/cgroup", "0::/pods/a\n");
    write("proc/self/status", "Name:\tjava\nRssAnon:\t  102400 kB\n");
    write("cgroup/pods/memory.max", "max\n");
    group(1000, 400, 0);
  }

  private void write(String file, String content) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, content);
  }

  /** All in MiB. */
  private void group(long limit, long usage, long filePages) throws IOException {
    write("cgroup/pods/a/memory.max", limit * MIB + "\n");
    write("cgroup/pods/a/memory.current", usage * MIB + "\n");
    write(
        "cgroup/pods/a/memory.stat",
        "anon 7\nfile 9\ninactive_file %d\nactive_file %d\ninactive_anon 5\n"
            .formatted(filePages * MIB - MIB, MIB));
  }

  /** A backing in a JVM that may use 300 MiB, of which it uses 100. */
  private LimitedBacking limited() {
    return new LimitedBacking(
        fake, root.resolve("proc"), root.resolve("cgroup"), 300 * MIB, () -> nanos);
  }

  @Test
  void readsVersion2() throws IOException {
    group(1000, 400, 30);

    List<CgroupMemory> groups =
        CgroupMemory.ofProcess(root.resolve("proc"), root.resolve("cgroup"));

    assertEquals(
        List.of("a", "pods", "cgroup"),
        groups.stream().map(group -> group.folder().getFileName().toString()).toList());
    assertEquals(OptionalLong.of(1000 * MIB), groups.get(0).limit());
    assertEquals(OptionalLong.of(400 * MIB), groups.get(0).usage());
    assertEquals(30 * MIB, groups.get(0).filePages());
    assertEquals(OptionalLong.empty(), groups.get(1).limit());
    assertEquals(OptionalLong.empty(), groups.get(2).usage());
  }

  @Test
  void readsVersion1() throws IOException {
    write("proc/self/cgroup", "5:cpu:/x\n4:memory:/docker\n");
    write("cgroup/memory/docker/memory.limit_in_bytes", "500\n");
    write("cgroup/memory/docker/memory.usage_in_bytes", "300\n");
    write(
        "cgroup/memory/docker/memory.stat",
        "inactive_file 1\nactive_file 1\ntotal_inactive_file 20\ntotal_active_file 30\n");

    CgroupMemory group =
        CgroupMemory.ofProcess(root.resolve("proc"), root.resolve("cgroup")).getFirst();

    assertEquals(OptionalLong.of(500), group.limit());
    assertEquals(OptionalLong.of(300), group.usage());
    assertEquals(50, group.filePages());
  }

  @Test
  void stopsGrowingWhereTheJvmStillNeedsTheRoom() throws IOException {
    LimitedBacking backing = limited();
    // 600 MiB are free, of which the JVM may need 200; one measurement allows a quarter of the
    // rest.
    assertTrue(backing.reserve(0, 100 * MIB));
    assertEquals(false, backing.reserve(100 * MIB, MIB));
    nanos += 5_000_000;
    group(1000, 500, 0);
    assertTrue(backing.reserve(100 * MIB, 75 * MIB));
    nanos += 5_000_000;
    group(1000, 800, 0);
    assertEquals(false, backing.reserve(200 * MIB, MIB));
    assertEquals(175 * MIB, fake.bytes());
  }

  @Test
  void leavesRoomForMemoryThatMayStillBePinned() throws IOException {
    LimitedBacking backing = limited();
    long[] pinnable = {300 * MIB};
    backing.leaveRoom(() -> pinnable[0]);
    // 600 MiB are free, of which the JVM may need 200, and 300 may be pinned.
    assertEquals(false, backing.reserve(0, 26 * MIB));
    assertTrue(backing.reserve(0, 25 * MIB));
    nanos += 5_000_000;
    // Now all of it is pinned, and counts as memory of the group.
    pinnable[0] = 0;
    group(1000, 725, 0);
    assertEquals(false, backing.reserve(25 * MIB, 19 * MIB));
    assertTrue(backing.reserve(25 * MIB, 18 * MIB));
  }

  @Test
  void growsAgainWhenThereIsRoom() throws IOException {
    LimitedBacking backing = limited();
    group(1000, 1000, 0);
    assertEquals(false, backing.reserve(0, MIB));
    nanos += 5_000_000;
    // File pages can be reclaimed.
    group(1000, 1000, 300);
    assertTrue(backing.reserve(0, 25 * MIB));
    nanos += 5_000_000;
    group(2000, 1000, 0);
    assertTrue(backing.reserve(25 * MIB, 200 * MIB));
  }

  @Test
  void doesNotGrowWhileTheUseOfALimitedGroupCannotBeRead() throws IOException {
    LimitedBacking backing = limited();
    Files.delete(root.resolve("cgroup/pods/a/memory.current"));
    assertEquals(false, backing.reserve(0, MIB));
    nanos += 5_000_000;
    group(1000, 400, 0);
    assertTrue(backing.reserve(0, 100 * MIB));
  }

  @Test
  void growsWithoutLimit() throws IOException {
    write("cgroup/pods/a/memory.max", "max\n");
    assertTrue(limited().reserve(0, 1000 * MIB));

    write("proc/self/cgroup", "");
    assertTrue(limited().reserve(0, 1000 * MIB));
  }

  /**
   * 768 MiB, of which a JVM with -Xmx64m may use 64 + 384 MiB; the default size of the heap leaves
   * 100 MiB to pin. The kernel kills at 768.
   */
  @Test
  void heapStopsGrowingInsteadOfBeingKilled() throws IOException {
    try (LimitedMemory group = LimitedMemory.create(768 * MIB)) {
      ChildProcess.Result result =
          ChildProcess.of(
                  group.command(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "--enable-native-access=ALL-UNNAMED",
                      "-Xmx64m",
                      "-cp",
                      System.getProperty("java.class.path"),
                      FillHeap.class.getName()))
              .run(Duration.ofMinutes(10));

      assertEquals(0, result.status(), result.output());
      Matcher figures =
          Pattern.compile("default (\\d+) MiB, filled (\\d+) MiB").matcher(result.output());
      assertTrue(figures.find(), result.output());
      long size = Long.parseLong(figures.group(1));
      long filled = Long.parseLong(figures.group(2));
      assertTrue(size >= 64 && size <= 236, result.output());
      assertTrue(filled >= 128 && filled <= 336, result.output());
    }
  }

  /** Fills a heap of 1 GiB as far as it grows. */
  static final class FillHeap {
    private FillHeap() {}

    public static void main(String[] arguments) throws InterruptedException {
      Path base = Path.of("/dev/shm");
      HeapSizing sizing =
          HeapSizing.probe(
              base, List.of(Path.of("/tmp")), OptionalLong.empty(), 1, false, 100 * MIB);
      HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(Path.of("/tmp")));
      try (HostHeap heap = HostHeap.create(folder, 0, 1 << 30)) {
        SlabAllocator slabs = new SlabAllocator(0, 1 << 30, heap.limitedBacking(), Long.MAX_VALUE);
        int refused = 0;
        while (refused < 20) {
          var slab = slabs.allocate(4 * MIB);
          slab.ifPresent(s -> heap.local().asSlice(s.offset(), s.bytes()).fill((byte) 1));
          refused = slab.isPresent() ? 0 : refused + 1;
          Thread.sleep(slab.isPresent() ? 0 : 6);
        }
        System.out.printf(
            "default %d MiB, filled %d MiB%n",
            sizing.bytes() / MIB, slabs.stats().usedBytes() / MIB);
      } finally {
        folder.remove();
      }
    }
  }
}
