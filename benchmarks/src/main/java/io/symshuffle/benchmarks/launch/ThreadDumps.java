// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.launch;

import io.symshuffle.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** Thread dumps of a process that does not respond, and of its executors on this machine. */
final class ThreadDumps {
  private static final Duration LIMIT_EACH = Duration.ofSeconds(30);

  private ThreadDumps() {}

  /** Writes a file {@code threads-<pid>.txt} per Java process; best effort. */
  static void write(ProcessHandle process, Path folder) {
    String jcmd = SparkRuntime.javaHome().resolve("bin/jcmd").toString();
    for (ProcessHandle each : Stream.concat(Stream.of(process), process.descendants()).toList()) {
      String pid = Long.toString(each.pid());
      ChildProcess.of(jcmd, pid, "Thread.print")
          .log(folder.resolve("threads-" + pid + ".txt"))
          .tryRun(LIMIT_EACH);
    }
  }
}
