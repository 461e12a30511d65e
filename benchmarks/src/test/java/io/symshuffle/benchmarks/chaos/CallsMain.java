// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.chaos;

import io.symshuffle.heap.folder.FolderToken;
import io.symshuffle.heap.folder.HeapFolder;
import io.symshuffle.heap.host.HostHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Reserves shared memory and reads files, and prints how often that fails. */
final class CallsMain {
  /** More than the first calls, which always work. */
  private static final int EARLIER_CALLS = 30;

  private static final int CALLS = 12;

  private CallsMain() {}

  public static void main(String[] unused) throws IOException {
    Path base = Files.createTempDirectory("calls");
    HeapFolder folder = HeapFolder.open(base, FolderToken.random(), List.of(base));
    try (HostHeap heap = HostHeap.create(folder, 0, 1 << 20)) {
      System.out.printf(
          "%d of %d reservations, %d of %d reads, %d of %d other reads%n",
          failures(() -> heap.backing().reserve(0, 4096)),
          CALLS,
          failures(() -> reads(base.resolve("1.runs"))),
          CALLS,
          failures(() -> reads(base.resolve("1.txt"))),
          CALLS);
    } finally {
      folder.remove();
      Files.deleteIfExists(base.resolve("1.runs"));
      Files.deleteIfExists(base.resolve("1.txt"));
      Files.deleteIfExists(base);
    }
  }

  private static int failures(BooleanSupplier call) {
    for (int i = 0; i < EARLIER_CALLS; i++) {
      boolean unused = call.getAsBoolean();
    }
    int failures = 0;
    for (int i = 0; i < CALLS; i++) {
      failures += call.getAsBoolean() ? 0 : 1;
    }
    return failures;
  }

  private static boolean reads(Path file) {
    try {
      Files.write(file, new byte[100]);
      try (FileChannel channel = FileChannel.open(file)) {
        return channel.read(ByteBuffer.allocate(100), 0) == 100;
      }
    } catch (IOException e) {
      return false;
    }
  }
}
