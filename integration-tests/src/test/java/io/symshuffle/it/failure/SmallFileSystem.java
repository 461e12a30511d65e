// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.it.Folders;
import io.symshuffle.it.wait.Await;
import io.symshuffle.process.ChildProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small file system in memory, which only root can mount. */
final class SmallFileSystem implements AutoCloseable {
  private final Path folder;

  private SmallFileSystem(Path folder) {
    this.folder = folder;
  }

  /** Mounts a file system, or skips the test. */
  static SmallFileSystem mount(Path folder, String size) {
    Folders.create(folder);
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=" + size, "tmpfs", folder.toString()),
        "only root can mount a tmpfs");
    return new SmallFileSystem(folder);
  }

  Path folder() {
    return folder;
  }

  /** Creates a file that uses all free space. */
  Path fill() {
    Path file = folder.resolve("filler");
    try (var out = Files.newOutputStream(file)) {
      byte[] page = new byte[4096];
      while (true) {
        out.write(page);
      }
    } catch (IOException full) {
      return file;
    }
  }

  @Override
  public void close() {
    run("umount", "--lazy", folder.toString());
  }

  private static boolean run(String... command) {
    try {
      return ChildProcess.of(command).run(Await.LIMIT).status() == 0;
    } catch (UncheckedIOException e) {
      return false;
    }
  }
}
