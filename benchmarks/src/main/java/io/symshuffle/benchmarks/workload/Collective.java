// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.workload;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.symshuffle.barrier.ElementType;
import io.symshuffle.barrier.Reduction;
import io.symshuffle.barrier.SymmetricMemory;
import java.io.Serializable;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Function1;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** Collectives of the tasks of a stage: on symmetric memory, and what Spark has. */
public enum Collective {
  /** Sums of floats, which all tasks have afterwards. */
  ALL_REDUCE("all-reduce", Long.MAX_VALUE),
  /** Each task gets the blocks of all. */
  ALL_GATHER("all-gather", Long.MAX_VALUE),
  /** Each task sends a block to each. */
  ALL_TO_ALL("all-to-all", Long.MAX_VALUE),
  /** Spark: sums of floats, which the driver has afterwards; larger arrays exhaust its memory. */
  TREE_AGGREGATE("Spark treeAggregate", 256 << 20),
  /** Spark: strings through the driver. */
  SPARK_ALL_GATHER("Spark allGather", 16 << 20);

  private static final int FEWEST_TIMES = 5;

  /** Repetitions take about this long at most: where PEs share a core, a call takes 10 ms. */
  private static final double MOST_SECONDS = 1;

  /** What a task found: median seconds of one call, and whether its result is right. */
  private record Found(double seconds, boolean right) implements Serializable {}

  private final String label;
  private final long mostBytes;

  Collective(String label, long mostBytes) {
    this.label = label;
    this.mostBytes = mostBytes;
  }

  /** Returns its name in reports. */
  public String label() {
    return label;
  }

  /** Returns the most bytes of a task. */
  public long mostBytes() {
    return mostBytes;
  }

  /** Returns the one with this {@link #label}. */
  public static Collective named(String label) {
    return Arrays.stream(values())
        .filter(each -> each.label.equals(label))
        .findFirst()
        .orElseThrow();
  }

  /** Runs it; see {@link io.symshuffle.benchmarks.protocol.Request.Collect}. */
  public Map<String, Double> run(SparkContext context, int tasks, long bytes, int times) {
    JavaRDD<Integer> numbers =
        JavaSparkContext.fromSparkContext(context)
            .parallelize(IntStream.range(0, tasks).boxed().toList(), tasks);
    List<Found> found =
        this == TREE_AGGREGATE
            ? List.of(aggregate(numbers, tasks, (int) (bytes / Float.BYTES), times))
            : numbers
                .rdd()
                .barrier()
                .mapPartitions(
                    (Function1<Iterator<Integer>, Iterator<Found>> & Serializable)
                        unused ->
                            CollectionConverters.asScala(
                                List.of(inTask(BarrierTaskContext.get(), bytes, times)).iterator()),
                    false,
                    ClassTag$.MODULE$.<Found>apply(Found.class))
                .toJavaRDD()
                .collect();
    return Map.of(
        "seconds",
        found.stream().mapToDouble(Found::seconds).max().orElseThrow(),
        "wrong",
        (double) found.stream().filter(each -> !each.right()).count());
  }

  private static Found aggregate(JavaRDD<Integer> numbers, int tasks, int count, int times) {
    float[][] sum = new float[1][];
    Runnable call =
        () ->
            sum[0] =
                numbers.treeAggregate(
                    new float[0], (none, pe) -> Data.of(pe, count).clone(), Collective::add);
    call.run();
    double seconds = median(times, call);
    boolean right = sum[0].length == count;
    for (int i = 0; i < sum[0].length; i++) {
      right &= sum[0][i] == sum(tasks, i);
    }
    return new Found(seconds, right);
  }

  private static float[] add(float[] a, float[] b) {
    if (a.length == 0 || b.length == 0) {
      return a.length == 0 ? b : a;
    }
    for (int i = 0; i < a.length; i++) {
      a[i] += b[i];
    }
    return a;
  }

  private Found inTask(BarrierTaskContext task, long bytes, int times) {
    if (this == SPARK_ALL_GATHER) {
      String text = "x".repeat((int) bytes);
      String[][] all = new String[1][];
      Runnable call = () -> all[0] = task.allGather(text);
      call.run();
      double seconds = median(times, call);
      return new Found(seconds, Arrays.stream(all[0]).allMatch(text::equals));
    }
    int tasks = task.numPartitions();
    long block = Math.ceilDiv(bytes, Float.BYTES * tasks) * Float.BYTES;
    long all = block * tasks;
    try (SymmetricMemory memory =
        SymmetricMemory.open(
            task, this == ALL_TO_ALL ? 2 * all : this == ALL_REDUCE ? bytes : all)) {
      Runnable call =
          switch (this) {
            case ALL_REDUCE ->
                () -> memory.allReduce(Reduction.SUM, ElementType.FLOAT, 0, bytes / 4);
            case ALL_GATHER -> () -> memory.allGather(0, block);
            default -> () -> memory.allToAll(0, all, block);
          };
      double seconds = median(warmUp(memory, times, call), call);
      for (long i = 0; i < memory.bytes() / Float.BYTES; i++) {
        memory.local().setAtIndex(JAVA_FLOAT, i, value(memory.pe(), i));
      }
      memory.barrier();
      call.run();
      return new Found(seconds, isRight(memory, block / Float.BYTES));
    }
  }

  /** Warms a call up. Returns how often to measure it, at most as often as asked for. */
  private static int warmUp(SymmetricMemory memory, int times, Runnable call) {
    call.run();
    long start = System.nanoTime();
    call.run();
    // All PEs must make as many calls, so they need the same time.
    memory.local().setAtIndex(JAVA_FLOAT, 0, (System.nanoTime() - start) / 1e9f);
    memory.allReduce(Reduction.MAX, ElementType.FLOAT, 0, 1);
    double seconds = memory.local().getAtIndex(JAVA_FLOAT, 0);
    int fits = Math.clamp((long) (MOST_SECONDS / seconds), Math.min(FEWEST_TIMES, times), times);
    for (int i = 0; i < fits / 2; i++) {
      call.run();
    }
    memory.barrier();
    return fits;
  }

  /** Returns the seconds of a typical call; neighbors on the machine stretch single ones. */
  private static double median(int times, Runnable call) {
    double[] seconds = new double[times];
    for (int i = 0; i < times; i++) {
      long start = System.nanoTime();
      call.run();
      seconds[i] = (System.nanoTime() - start) / 1e9;
    }
    Arrays.sort(seconds);
    return seconds[times / 2];
  }

  /** Compares a sample of the elements, which includes the first of each block. */
  private boolean isRight(SymmetricMemory memory, long block) {
    long count = memory.bytes() / Float.BYTES;
    int tasks = memory.peCount();
    long begin = this == ALL_TO_ALL ? block * tasks : 0;
    for (long i = begin; i < count; i += Math.max(1, count / 10_000)) {
      int from = (int) ((i - begin) / block);
      long at = this == ALL_TO_ALL ? memory.pe() * block + (i - begin) % block : i;
      float right = this == ALL_REDUCE ? sum(tasks, at) : value(from, at);
      if (memory.local().getAtIndex(JAVA_FLOAT, i) != right) {
        return false;
      }
    }
    return true;
  }

  private static float sum(int tasks, long element) {
    float sum = 0;
    for (int pe = 0; pe < tasks; pe++) {
      sum += value(pe, element);
    }
    return sum;
  }

  /** An element of a PE's data: a small integer, so that sums are exact in any order. */
  private static float value(int pe, long element) {
    return (element * 31 + pe * 7919L) % 1009;
  }

  /** The data of PEs, kept for the next call. */
  private static final class Data {
    private static final Map<Integer, float[]> LAST = new ConcurrentHashMap<>();

    static float[] of(int pe, int count) {
      return LAST.compute(
          pe,
          (key, last) -> {
            if (last != null && last.length == count) {
              return last;
            }
            float[] values = new float[count];
            for (int i = 0; i < count; i++) {
              values[i] = value(pe, i);
            }
            return values;
          });
    }
  }
}
