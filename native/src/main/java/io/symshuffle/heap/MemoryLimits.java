// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * The memory that a heap may use, regardless of its file system's size: a tmpfs does not reserve
 * its size.
 *
 * @param availableBytes memory that the kernel can allocate without swapping (MemAvailable)
 * @param cgroupBytes the tightest memory limit on this process's control group and its parents
 */
public record MemoryLimits(OptionalLong availableBytes, OptionalLong cgroupBytes) {

  /** {@return the limits of this process at this moment; a limit that cannot be read is empty} */
  public static MemoryLimits probe() {
    return probe(Path.of("/proc"), Path.of("/sys/fs/cgroup"));
  }

  /** Like {@link #probe()}, with other paths for /proc and /sys/fs/cgroup. */
  static MemoryLimits probe(Path proc, Path cgroups) {
    OptionalLong available =
        lines(proc.resolve("meminfo")).stream()
            .filter(line -> line.startsWith("MemAvailable:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
            .findFirst();
    OptionalLong limit = OptionalLong.empty();
    for (String line : lines(proc.resolve("self/cgroup"))) {
      // hierarchy:controllers:path; version 2 has hierarchy 0 and no controllers
      String[] fields = line.split(":", 3);
      if (fields.length == 3 && fields[0].equals("0") && fields[1].isEmpty()) {
        limit = tighter(limit, cgroups, fields[2], "memory.max");
      } else if (fields.length == 3 && List.of(fields[1].split(",")).contains("memory")) {
        limit = tighter(limit, cgroups.resolve("memory"), fields[2], "memory.limit_in_bytes");
      }
    }
    return new MemoryLimits(available, limit);
  }

  /** {@return the smaller of the two, {@link Long#MAX_VALUE} when neither is known} */
  public long bytes() {
    return Math.min(availableBytes.orElse(Long.MAX_VALUE), cgroupBytes.orElse(Long.MAX_VALUE));
  }

  /** Returns the smallest limit of a group and its parents; a container sees only its root. */
  private static OptionalLong tighter(OptionalLong limit, Path root, String group, String file) {
    long tightest = limit.orElse(Long.MAX_VALUE);
    Path folder = root.resolve(group.substring(1)).normalize();
    while (folder != null && folder.startsWith(root)) {
      for (String line : lines(folder.resolve(file))) {
        // Without a limit, version 2 has "max" and version 1 almost 2^63.
        if (line.matches("[0-9]{1,18}")) {
          tightest = Math.min(tightest, Long.parseLong(line));
        }
      }
      folder = folder.getParent();
    }
    return tightest == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(tightest);
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return List.of();
    }
  }
}
