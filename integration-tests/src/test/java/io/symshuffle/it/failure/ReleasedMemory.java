// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.failure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.wait.Await;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.spark.Dependency;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.rdd.RDD;
import scala.jdk.javaapi.CollectionConverters;

/** Checks that the memory of the heaps is released. */
public final class ReleasedMemory {

  private ReleasedMemory() {}

  /** Waits until the host heaps are empty. */
  public static void await(SparkCluster cluster) {
    await(cluster, "heap.used.bytes");
  }

  /**
   * Waits until these metrics are 0 on all executors. Spark unregisters unreachable shuffles after
   * a garbage collection in the driver.
   */
  public static void await(SparkCluster cluster, String... metrics) {
    AtomicLong used = new AtomicLong();
    Await.holdsWithin(
        Await.LIMIT,
        () -> {
          System.gc();
          used.set(Stream.of(metrics).mapToLong(cluster.gauges()::sum).sum());
          return used.get() == 0;
        });
    assertEquals(0, used.get());
  }

  /** The ID of the nearest shuffle below an RDD. */
  public static int shuffleId(JavaRDD<?> rows) {
    Deque<RDD<?>> open = new ArrayDeque<>();
    open.add(rows.rdd());
    while (!open.isEmpty()) {
      for (Dependency<?> each : CollectionConverters.asJava(open.pop().dependencies())) {
        if (each instanceof ShuffleDependency<?, ?, ?> shuffle) {
          return shuffle.shuffleId();
        }
        open.add(each.rdd());
      }
    }
    throw new AssertionError("no shuffle in " + rows);
  }
}
