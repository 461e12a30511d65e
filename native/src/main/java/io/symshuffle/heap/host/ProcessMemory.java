// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.heap.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** The resident memory of this process, as the kernel reports it in /proc/self/status. */
public final class ProcessMemory {
  private static final Set<String> ANONYMOUS = Set.of("RssAnon:");
  private static final Set<String> MAPPED = Set.of("RssFile:", "RssShmem:");

  private ProcessMemory() {}

  /** Returns bytes of mapped files and shared memory, 0 if unknown. */
  public static long mappedBytes() {
    return bytes(Path.of("/proc"), MAPPED);
  }

  /** Returns the bytes of private memory, such as the Java heap; 0 if unknown. */
  static long anonymousBytes(Path proc) {
    return bytes(proc, ANONYMOUS);
  }

  private static long bytes(Path proc, Set<String> fields) {
    long sum = 0;
    try {
      for (String line : Files.readAllLines(proc.resolve("self/status"), StandardCharsets.UTF_8)) {
        if (fields.contains(line.substring(0, line.indexOf(':') + 1))) {
          sum += Long.parseLong(line.replaceAll("[^0-9]", "")) << 10;
        }
      }
    } catch (IOException e) {
      return 0;
    }
    return sum;
  }
}
