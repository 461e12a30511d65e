// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What the threads of a process that hangs were doing, and those of its executors here. */
final class ThreadDumps {
  private static final long SECONDS_EACH = 10;

  private ThreadDumps() {}

  /** Writes one file {@code threads-<pid>.txt} a Java process, as far as that works. */
  static void write(Process process, Path folder) {
    List<ProcessHandle> handles =
        Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList();
    for (ProcessHandle handle : handles) {
      try {
        Process dump =
            new ProcessBuilder(
                    SparkRuntime.javaHome().resolve("bin/jcmd").toString(),
                    Long.toString(handle.pid()),
                    "Thread.print")
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("threads-" + handle.pid() + ".txt").toFile())
                .start();
        if (!dump.waitFor(SECONDS_EACH, TimeUnit.SECONDS)) {
          dump.destroyForcibly();
        }
      } catch (IOException e) {
        return; // no jcmd here: the log has to do
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }
}
