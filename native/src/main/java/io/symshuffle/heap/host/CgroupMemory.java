// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The memory of a control group of Linux, version 1 or 2. The kernel kills processes of a group
 * that reaches its limit. Pages of shared memory are charged to the group of the process that
 * touches them first.
 *
 * @param folder the group's folder, for example /sys/fs/cgroup/kubepods/pod1
 * @param version 1 or 2
 */
public record CgroupMemory(Path folder, int version) {
  /** Names in memory.stat of file pages that the kernel reclaims; in version 1 with children. */
  private static final Set<String> FILE_PAGES_1 =
      Set.of("total_inactive_file", "total_active_file");

  private static final Set<String> FILE_PAGES_2 = Set.of("inactive_file", "active_file");

  /** Returns the groups of this process and all their parents, innermost first. */
  public static List<CgroupMemory> ofProcess() {
    return ofProcess(Path.of("/proc"), Path.of("/sys/fs/cgroup"));
  }

  /**
   * Lists the groups of this process and all their parents. A container sees only its own group, as
   * the root.
   *
   * @param proc the path of /proc
   * @param cgroups the path of /sys/fs/cgroup
   */
  static List<CgroupMemory> ofProcess(Path proc, Path cgroups) {
    List<CgroupMemory> groups = new ArrayList<>();
    for (String line : lines(proc.resolve("self/cgroup"))) {
      // hierarchy:controllers:path; version 2 has hierarchy 0 and no controllers
      String[] fields = line.split(":", 3);
      if (fields.length == 3 && fields[0].equals("0") && fields[1].isEmpty()) {
        addWithParents(groups, cgroups, fields[2], 2);
      } else if (fields.length == 3 && List.of(fields[1].split(",")).contains("memory")) {
        addWithParents(groups, cgroups.resolve("memory"), fields[2], 1);
      }
    }
    return groups;
  }

  private static void addWithParents(
      List<CgroupMemory> groups, Path root, String group, int version) {
    Path folder = root.resolve(group.substring(1)).normalize();
    while (folder != null && folder.startsWith(root)) {
      groups.add(new CgroupMemory(folder, version));
      folder = folder.getParent();
    }
  }

  /** Returns the limit in bytes; empty if there is none. */
  public OptionalLong limit() {
    return number(lines(limitFile()));
  }

  /** Returns the file that contains the limit. */
  public Path limitFile() {
    return folder.resolve(version == 1 ? "memory.limit_in_bytes" : "memory.max");
  }

  /** Returns the bytes charged to the group, including file pages; empty if that is unknown. */
  public OptionalLong usage() {
    return number(lines(usageFile()));
  }

  private Path usageFile() {
    return folder.resolve(version == 1 ? "memory.usage_in_bytes" : "memory.current");
  }

  /**
   * Returns how many more bytes can be charged to the group, if the kernel reclaims file pages.
   *
   * @return empty if there is no limit
   * @throws IOException if that cannot be read now, for example because the process has no free
   *     file descriptor
   */
  OptionalLong room() throws IOException {
    if (!Files.isReadable(limitFile())) {
      return OptionalLong.empty();
    }
    OptionalLong limit = number(Files.readAllLines(limitFile(), StandardCharsets.UTF_8));
    if (limit.isEmpty()) {
      return limit;
    }
    OptionalLong usage = number(Files.readAllLines(usageFile(), StandardCharsets.UTF_8));
    return OptionalLong.of(
        limit.getAsLong()
            - usage.orElseThrow(() -> new IOException(usageFile() + " has no number"))
            + filePages());
  }

  /** Returns how many of the charged bytes are file pages, which the kernel reclaims first. */
  public long filePages() {
    Set<String> names = version == 1 ? FILE_PAGES_1 : FILE_PAGES_2;
    long sum = 0;
    for (String line : lines(folder.resolve("memory.stat"))) {
      int space = line.indexOf(' ');
      if (space > 0 && names.contains(line.substring(0, space))) {
        sum += Long.parseLong(line.substring(space + 1));
      }
    }
    return sum;
  }

  private static OptionalLong number(List<String> lines) {
    for (String line : lines) {
      // Without a limit, version 2 has "max" and version 1 almost 2^63.
      if (line.matches("[0-9]{1,18}")) {
        return OptionalLong.of(Long.parseLong(line));
      }
    }
    return OptionalLong.empty();
  }

  /** Returns the lines of a file of the kernel; none if it cannot be read. */
  static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return List.of();
    }
  }
}
