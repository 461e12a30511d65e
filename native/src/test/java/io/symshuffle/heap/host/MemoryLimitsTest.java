// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryLimitsTest {
  @TempDir Path root;

  private void write(String file, String content) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, content);
  }

  private MemoryLimits probe() {
    return MemoryLimits.probe(root.resolve("proc"), root.resolve("cgroup"));
  }

  @Test
  void readsMemAvailable() throws IOException {
    write("proc/meminfo", "MemTotal:       24105844 kB\nMemAvailable:   20476752 kB\n");

    assertEquals(new MemoryLimits(OptionalLong.of(20476752L << 10), OptionalLong.empty()), probe());
  }

  @Test
  void takesTheTightestLimitOfAllParentsInVersion2() throws IOException {
    write("proc/self/cgroup", "0::/kubepods/pod1/c1\n");
    write("cgroup/kubepods/pod1/c1/memory.max", "max\n");
    write("cgroup/kubepods/pod1/memory.max", "4294967296\n");
    write("cgroup/kubepods/memory.max", "8589934592\n");

    assertEquals(OptionalLong.of(4294967296L), probe().cgroupBytes());
  }

  @Test
  void readsTheRootGroupInsideAContainer() throws IOException {
    write("proc/self/cgroup", "0::/\n");
    write("cgroup/memory.max", "1073741824\n");

    assertEquals(OptionalLong.of(1073741824L), probe().cgroupBytes());
  }

  @Test
  void readsVersion1WithAndWithoutALimit() throws IOException {
    write("proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n");
    write("cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
    assertEquals(OptionalLong.empty(), probe().cgroupBytes());

    write("cgroup/memory/memory.limit_in_bytes", "2147483648\n");
    assertEquals(OptionalLong.of(2147483648L), probe().cgroupBytes());
  }

  @Test
  void isEmptyWhenNothingCanBeRead() {
    assertEquals(new MemoryLimits(OptionalLong.empty(), OptionalLong.empty()), probe());
    assertEquals(Long.MAX_VALUE, probe().bytes());
    assertTrue(MemoryLimits.probe().bytes() > 0);
  }
}
