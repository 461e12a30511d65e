// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.sql;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.Folders;
import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.cluster.HeapDirectories;
import io.symshuffle.it.process.ExecutorProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkEnv;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;

/**
 * What is in use after a micro-batch.
 *
 * @param batch number of the micro-batch, from 0
 * @param heapBytes in use in the heaps of all executors
 * @param directoryEntries map outputs published in the directories of all executors
 * @param files in the folder of the heaps, and runs in local folders
 * @param driverBytes of the driver's Java heap, after a collection
 * @param executorBytes of the Java heaps of all executors, after a collection
 * @param executorResidentBytes private memory of all executors' processes: Java heaps as far as
 *     they are committed, native memory, code
 */
record StreamingSample(
    long batch,
    long heapBytes,
    long directoryEntries,
    long files,
    long driverBytes,
    long executorBytes,
    long executorResidentBytes) {
  private static final Pattern RESIDENT = Pattern.compile("(?m)^RssAnon:\\s*(\\d+) kB$");

  static StreamingSample take(SparkCluster cluster, long batch) throws IOException {
    long heap = cluster.gauges().sum("heap.used.bytes");
    long entries = HeapDirectories.entries(cluster.mappedHeapFiles());
    long files =
        Folders.under(cluster.heapFolder()).count()
            + Folders.under(cluster.localFolder())
                .filter(path -> path.getFileName().toString().endsWith(".runs"))
                .count();
    long executors = collected(cluster);
    return new StreamingSample(
        batch, heap, entries, files, usedAfterCollection(), executors, resident(cluster));
  }

  private static long collected(SparkCluster cluster) {
    int questions = 4 * cluster.spec().executors() * cluster.spec().cores();
    Map<String, Long> answers = new TreeMap<>();
    while (answers.size() < cluster.spec().executors()) {
      JavaSparkContext.fromSparkContext(cluster.context())
          .parallelize(Collections.nCopies(questions, 0), questions)
          .mapPartitions(StreamingSample::collect)
          .collect()
          .forEach(answer -> answers.put(answer._1(), answer._2()));
    }
    return answers.values().stream().mapToLong(Long::longValue).sum();
  }

  private static Iterator<Tuple2<String, Long>> collect(Iterator<Integer> ignored) {
    return List.of(new Tuple2<>(SparkEnv.get().executorId(), usedAfterCollection())).iterator();
  }

  private static long usedAfterCollection() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static long resident(SparkCluster cluster) throws IOException {
    long kibibytes = 0;
    for (ExecutorProcess executor : cluster.executors()) {
      Path status = Path.of("/proc", Long.toString(executor.pid()), "status");
      Matcher matcher = RESIDENT.matcher(Files.readString(status));
      assertTrue(matcher.find(), () -> status + " has no line RssAnon");
      kibibytes += Long.parseLong(matcher.group(1));
    }
    return kibibytes << 10;
  }

  /**
   * Compares the medians of the second quarter, when all code is compiled and all caches are full,
   * and of the last one.
   */
  static void assertFlat(
      List<StreamingSample> samples,
      String what,
      ToLongFunction<StreamingSample> value,
      long tolerance) {
    int quarter = samples.size() / 4;
    long before = median(samples.subList(quarter, 2 * quarter), value);
    long after = median(samples.subList(3 * quarter, samples.size()), value);
    assertTrue(
        after <= before + tolerance,
        () -> "%s grew from %d to %d: %s".formatted(what, before, after, samples));
  }

  private static long median(List<StreamingSample> samples, ToLongFunction<StreamingSample> value) {
    return samples.stream()
        .mapToLong(value)
        .sorted()
        .skip(samples.size() / 2)
        .findFirst()
        .orElseThrow();
  }
}
