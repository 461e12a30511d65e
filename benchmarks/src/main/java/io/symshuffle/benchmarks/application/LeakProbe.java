// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.benchmarks.application;

import io.symshuffle.benchmarks.faults.HeapLoss;
import io.symshuffle.benchmarks.protocol.Reply;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds leaks of finished queries: memory in heaps, files that no live executor needs, and mapped
 * windows whose files are deleted. Memory is released in the background, so the probe repeats until
 * nothing is left or the time limit is over.
 */
final class LeakProbe {
  private static final Logger LOG = LoggerFactory.getLogger(LeakProbe.class);
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final String HEAP = ".heap";
  private static final String RUNS = ".runs";

  private final SparkContext context;
  private final Path heaps;
  private final Path local;

  /** What an executor reports about itself. */
  private record Seen(String executorId, long usedBytes, long lostMappings)
      implements Serializable {}

  LeakProbe(SparkContext context, Path heaps, Path local) {
    this.context = context;
    this.heaps = heaps;
    this.local = local;
  }

  Reply.Leaks look(Duration limit) throws InterruptedException, IOException {
    long end = System.nanoTime() + limit.toNanos();
    while (true) {
      List<Path> heapFiles = HeapLoss.under(heaps, HEAP);
      List<Path> runFiles = HeapLoss.under(heaps, RUNS);
      List<Path> diskFiles = HeapLoss.under(local, RUNS);
      Reply.Leaks leaks = lookOnce(heapFiles.size(), runFiles.size() + diskFiles.size());
      if (leaks.heapBytes() + leaks.files() + leaks.mappings() == 0) {
        return leaks;
      }
      if (System.nanoTime() > end) {
        LOG.warn("Left after {}: {}; {}, {}, {}", limit, leaks, heapFiles, runFiles, diskFiles);
        return leaks;
      }
      System.gc();
      Thread.sleep(PAUSE);
    }
  }

  private Reply.Leaks lookOnce(int heapFiles, int runFiles) {
    int executors = BenchmarkApplication.executors(context);
    int questions = Math.max(1, 4 * executors);
    Map<String, Seen> answers = new HashMap<>();
    JavaSparkContext.fromSparkContext(context)
        .parallelize(Collections.nCopies(questions, 0), questions)
        .mapPartitions(LeakProbe::see)
        .collect()
        .forEach(seen -> answers.put(seen.executorId(), seen));
    long bytes = answers.values().stream().mapToLong(Seen::usedBytes).sum();
    long mappings = answers.values().stream().mapToLong(Seen::lostMappings).sum();
    // One heap per live executor; heaps of dead ones are deleted when they are no longer needed.
    long files = Math.max(0L, heapFiles - Math.max(executors, answers.size())) + runFiles;
    return new Reply.Leaks(bytes, files, mappings);
  }

  private static Iterator<Seen> see(Iterator<Integer> ignored)
      throws IOException, InterruptedException {
    // Long enough for all executors to get some of the tasks.
    Thread.sleep(50);
    long used =
        ShuffleRuntime.current()
            .map(runtime -> runtime.slabStats().usedBytes() + runtime.deviceStats().usedBytes())
            .orElse(0L);
    long lost;
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      lost = maps.filter(line -> line.contains(HEAP) && line.endsWith("(deleted)")).count();
    }
    return List.of(new Seen(SparkEnv.get().executorId(), used, lost)).iterator();
  }
}
