// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.benchmarks.barrier;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import io.symshuffle.barrier.ElementType;
import io.symshuffle.barrier.Reduction;
import io.symshuffle.barrier.SymmetricMemory;
import io.symshuffle.cuda.CudaEvent;
import io.symshuffle.cuda.CudaStream;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

/** Collectives of the tasks of a stage, and what Spark has. */
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

  private static final int PIECE = 1 << 20;

  /**
   * What a task found.
   *
   * @param seconds median of calls
   * @param queuedSeconds mean of calls that were queued one after the other, of the GPU; 0 if calls
   *     cannot be queued
   */
  private record Found(double seconds, double queuedSeconds, boolean right)
      implements Serializable {}

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
  public Map<String, Double> run(
      SparkContext context, Provider provider, int tasks, long bytes, int times) {
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
                        unused -> {
                          BarrierTaskContext task = BarrierTaskContext.get();
                          Found own =
                              this == SPARK_ALL_GATHER
                                  ? gatherStrings(task, (int) bytes, times)
                                  : inTask(task, provider, bytes, times);
                          return CollectionConverters.asScala(List.of(own).iterator());
                        },
                    false,
                    ClassTag$.MODULE$.<Found>apply(Found.class))
                .toJavaRDD()
                .collect();
    return Map.of(
        "seconds",
        found.stream().mapToDouble(Found::seconds).max().orElseThrow(),
        "queued",
        found.stream().mapToDouble(Found::queuedSeconds).max().orElseThrow(),
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
    return new Found(seconds, 0, right);
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

  private static Found gatherStrings(BarrierTaskContext task, int bytes, int times) {
    String text = "x".repeat(bytes);
    String[][] all = new String[1][];
    Runnable call = () -> all[0] = task.allGather(text);
    call.run();
    double seconds = median(times, call);
    return new Found(seconds, 0, Arrays.stream(all[0]).allMatch(text::equals));
  }

  private Found inTask(BarrierTaskContext task, Provider provider, long bytes, int times) {
    long block = block(task.numPartitions(), bytes);
    long all = block * task.numPartitions();
    try (SymmetricMemory meeting = SymmetricMemory.open(task, Nccl.ID_BYTES);
        TaskMemory memory =
            provider.open(
                task, meeting, this == ALL_TO_ALL ? 2 * all : this == ALL_REDUCE ? bytes : all)) {
      Runnable queue =
          switch (this) {
            case ALL_REDUCE -> () -> memory.allReduce(bytes / Float.BYTES);
            case ALL_GATHER -> () -> memory.allGather(block);
            default -> () -> memory.allToAll(block);
          };
      Optional<CudaStream> stream = memory.queue();
      Runnable call =
          () -> {
            memory.call(queue);
            stream.ifPresent(CudaStream::synchronize);
          };
      int fits = warmUp(meeting, times, call);
      double seconds = median(fits, call);
      meeting.barrier();
      double queued = stream.isEmpty() ? 0 : queued(memory, stream.get(), fits, queue);
      write(memory, bytes);
      meeting.barrier();
      call.run();
      return new Found(seconds, queued, isRight(memory, bytes));
    }
  }

  /** The bytes of a block: the data of a PE, in as many blocks as there are PEs. */
  private static long block(int tasks, long bytes) {
    return Math.ceilDiv(bytes, (long) Float.BYTES * tasks) * Float.BYTES;
  }

  /**
   * Warms a call up. Returns how often to measure it, at most as often as asked for.
   *
   * @param meeting memory of the host, by which all PEs agree: they must make as many calls
   */
  private static int warmUp(SymmetricMemory meeting, int times, Runnable call) {
    call.run();
    long start = System.nanoTime();
    call.run();
    meeting.local().setAtIndex(JAVA_FLOAT, 0, (System.nanoTime() - start) / 1e9f);
    meeting.allReduce(Reduction.MAX, ElementType.FLOAT, 0, 1);
    double seconds = meeting.local().getAtIndex(JAVA_FLOAT, 0);
    int fits = Math.clamp((long) (MOST_SECONDS / seconds), Math.min(FEWEST_TIMES, times), times);
    for (int i = 0; i < fits / 2; i++) {
      call.run();
    }
    meeting.barrier();
    return fits;
  }

  /** Returns the seconds that the GPU takes for a call, if the next one is queued already. */
  private static double queued(TaskMemory memory, CudaStream stream, int times, Runnable queue) {
    try (CudaEvent start = stream.context().newEvent();
        CudaEvent end = stream.context().newEvent()) {
      stream.record(start);
      memory.call(
          () -> {
            for (int i = 0; i < times; i++) {
              queue.run();
            }
          });
      stream.record(end);
      stream.synchronize();
      return start.microsecondsTo(end) / 1e6 / times;
    }
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

  /** Writes the data of a PE. */
  void write(TaskMemory memory, long bytes) {
    long count = count(memory, bytes);
    float[] piece = new float[(int) Math.min(PIECE, count)];
    for (long at = 0; at < count; at += piece.length) {
      for (int i = 0; i < piece.length; i++) {
        piece[i] = value(memory.pe(), at + i);
      }
      memory.write(at * Float.BYTES, part(piece, count - at));
    }
  }

  /** Returns whether all elements are right after a call. */
  boolean isRight(TaskMemory memory, long bytes) {
    long block = block(memory.peCount(), bytes) / Float.BYTES;
    long count = count(memory, bytes);
    float[] piece = new float[(int) Math.min(PIECE, block)];
    for (int from = 0; from < memory.peCount(); from++) {
      long first = from * block;
      long last = Math.min(first + block, count);
      for (long at = first; at < last; at += piece.length) {
        long place = this == ALL_TO_ALL ? count + at : at;
        int length = (int) Math.min(piece.length, last - at);
        memory.read(place * Float.BYTES, part(piece, length));
        long sent = this == ALL_TO_ALL ? memory.pe() * block + at - first : at;
        for (int i = 0; i < length; i++) {
          float right = this == ALL_REDUCE ? sum(memory.peCount(), at + i) : value(from, sent + i);
          if (piece[i] != right) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /** The elements of a PE's data. */
  private long count(TaskMemory memory, long bytes) {
    return this == ALL_REDUCE
        ? bytes / Float.BYTES
        : block(memory.peCount(), bytes) / Float.BYTES * memory.peCount();
  }

  private static MemorySegment part(float[] piece, long length) {
    return MemorySegment.ofArray(piece)
        .asSlice(0, Math.min(piece.length, length) * (long) Float.BYTES);
  }

  private static float sum(int tasks, long element) {
    float sum = 0;
    for (int pe = 0; pe < tasks; pe++) {
      sum += value(pe, element);
    }
    return sum;
  }

  /** An element of a PE's data: an integer from 1 to 1024, so that sums are exact in any order. */
  static float value(int pe, long element) {
    long mixed = (element + ((long) pe << 40)) * 0x9E3779B97F4A7C15L;
    return 1 + (((mixed ^ (mixed >>> 32)) * 0xD1B54A32D192ED03L) >>> 54);
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
