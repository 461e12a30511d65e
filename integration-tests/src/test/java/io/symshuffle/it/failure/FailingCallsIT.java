// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

import static org.apache.spark.sql.functions.col;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.symshuffle.benchmarks.chaos.FailingCalls;
import io.symshuffle.fake.FakeLibraries;
import io.symshuffle.it.ClusterSpec;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.process.ExecutorProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Calls of the C library fail in executors, and the clock of their host steps by an hour: rows stay
 * right, and no executor dies.
 */
@Tag("full")
class FailingCallsIT {
  private static final int MAX_ROUNDS = 20;

  @TempDir private static Path folder;
  private final Path log = folder.resolve("faults.log");

  @Test
  void rowsInSharedMemoryAndOnDisk() throws IOException {
    assertRowsAreRight(
        Map.of("reserve", 2, "pread", 2000), Set.of("call.reserve", "call.pread", "clock.step"));
  }

  @Test
  void rowsAreRightWhenHeapsCannotBeMappedAtFirst() throws IOException {
    assertRowsAreRight(Map.of("mmap", 3), Set.of("call.mmap"));
  }

  /** The heap is mapped, then mapped a second time to measure how long that takes. */
  @Test
  void rowsAreRightWhenFirstAccessCannotBeMeasured() throws IOException {
    assertRowsAreRight(Map.of("mmap", 2), Set.of("call.mmap"));
  }

  private void assertRowsAreRight(Map<String, Integer> calls, Set<String> faults)
      throws IOException {
    assumeTrue(FakeLibraries.areAvailable(), "gcc is needed to compile the library");
    Map<String, String> environment =
        FailingCalls.compile(folder).orElseThrow().environment(log, calls, 2);
    ClusterSpec spec =
        ClusterSpec.localCluster(2, 1)
            .with("spark.symshuffle.heap.size", "4m")
            .with("spark.symshuffle.heap.retained", "0")
            .with("spark.symshuffle.staging.size", "64k")
            .with("spark.task.maxFailures", "100")
            .with("spark.stage.maxConsecutiveAttempts", "100");
    for (Map.Entry<String, String> each : environment.entrySet()) {
      spec = spec.with("spark.executorEnv." + each.getKey(), each.getValue());
    }
    try (SparkCluster cluster =
        SparkCluster.start(spec, Path.of("target", "it-work", "FailingCallsIT"))) {
      List<ExecutorProcess> executors = cluster.executors();
      for (int round = 0; round < MAX_ROUNDS && !struck().containsAll(faults); round++) {
        assertEquals(
            NumberedRows.EXPECTED,
            NumberedRows.sums(
                NumberedRows.rows(cluster.session(), "id", 40).repartition(8, col("k")).javaRDD()));
        ReleasedMemory.await(cluster);
      }
      assertTrue(struck().containsAll(faults), () -> struck() + " of " + faults);
      assertEquals(executors, cluster.executors());
    }
  }

  private Set<String> struck() {
    try (Stream<String> lines = Files.exists(log) ? Files.lines(log) : Stream.of()) {
      return lines
          .map(line -> line.split(" ", -1)[0])
          .collect(Collectors.toCollection(TreeSet::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
