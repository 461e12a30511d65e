// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A control group below that of this process, with a limit on its memory. */
public final class LimitedMemory implements AutoCloseable {
  private final Path folder;

  private LimitedMemory(Path folder) {
    this.folder = folder;
  }

  /**
   * Creates a group. Skips the test if that is not possible: it takes root, and in version 2 a
   * parent that delegates the memory controller.
   */
  public static LimitedMemory create(long bytes) {
    List<CgroupMemory> groups = CgroupMemory.ofProcess(Path.of("/proc"), Path.of("/sys/fs/cgroup"));
    for (CgroupMemory parent : groups) {
      Path folder = parent.folder().resolve("symshuffle-test-" + ProcessHandle.current().pid());
      Path limit = folder.resolve(parent.version() == 1 ? "memory.limit_in_bytes" : "memory.max");
      try {
        Files.createDirectory(folder);
        if (Files.exists(limit)) {
          Files.writeString(limit, Long.toString(bytes));
          return new LimitedMemory(folder);
        }
        Files.delete(folder);
      } catch (IOException e) {
        // Without permission; try the parent.
      }
    }
    return abort("no control group with a memory limit can be created here");
  }

  /** A command that runs another one in the group. */
  public List<String> command(String... command) {
    List<String> all = new ArrayList<>();
    all.addAll(List.of("sh", "-c", "echo $$ > " + folder + "/cgroup.procs && exec \"$@\"", "sh"));
    all.addAll(List.of(command));
    return all;
  }

  /** Removes the group, whose processes have ended. */
  @Override
  public void close() throws IOException {
    Files.delete(folder);
  }
}
