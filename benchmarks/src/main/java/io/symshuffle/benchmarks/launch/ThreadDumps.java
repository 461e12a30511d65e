// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Thread dumps of a process that does not respond, and of its executors on this machine. */
final class ThreadDumps {
  private static final Duration LIMIT_EACH = Duration.ofSeconds(10);

  private ThreadDumps() {}

  /** Writes a file {@code threads-<pid>.txt} per Java process; best effort. */
  static void write(ProcessHandle process, Path folder) {
    String jcmd = SparkRuntime.javaHome().resolve("bin/jcmd").toString();
    for (ProcessHandle each : Stream.concat(Stream.of(process), process.descendants()).toList()) {
      String pid = Long.toString(each.pid());
      try (ChildProcess dump =
          ChildProcess.start(
              List.of(jcmd, pid, "Thread.print"),
              Map.of(),
              folder,
              folder.resolve("threads-" + pid + ".txt"))) {
        dump.awaitEnd(LIMIT_EACH);
      } catch (IOException e) {
        return; // there is no jcmd: the log has to do
      }
    }
  }
}
