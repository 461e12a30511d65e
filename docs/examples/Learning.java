// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import io.symshuffle.barrier.ElementType;
import io.symshuffle.barrier.Reduction;
import io.symshuffle.barrier.SymmetricMemory;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;
import scala.Function1;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** K-means and logistic regression, with treeAggregate and with all-reduces of a barrier stage. */
public class Learning {
  /** An algorithm that improves a model with sums over all points, round by round. */
  public interface Algorithm extends Serializable {
    int sums();

    void add(double[] model, double[] point, double[] sums);

    double[] next(double[] model, double[] sums);
  }

  /** A job per round: the driver has the model. */
  static double[] withTreeAggregate(
      JavaRDD<double[]> points, double[] start, int rounds, Algorithm algorithm) {
    double[] model = start;
    for (int round = 0; round < rounds; round++) {
      double[] now = model;
      double[] sums =
          points.treeAggregate(
              new double[algorithm.sums()],
              (sum, point) -> {
                algorithm.add(now, point, sum);
                return sum;
              },
              (a, b) -> {
                for (int i = 0; i < a.length; i++) {
                  a[i] += b[i];
                }
                return a;
              });
      model = algorithm.next(model, sums);
    }
    return model;
  }

  /** One job: all tasks run at the same time, and each has the model. */
  static double[] withAllReduce(
      JavaRDD<double[]> points, double[] start, int rounds, Algorithm algorithm) {
    return points
        .rdd()
        .barrier()
        .mapPartitions(
            (Function1<Iterator<double[]>, Iterator<double[]>> & Serializable)
                mine -> inTask(mine, start, rounds, algorithm),
            false,
            ClassTag$.MODULE$.<double[]>apply(double[].class))
        .toJavaRDD()
        .collect()
        .get(0);
  }

  private static Iterator<double[]> inTask(
      Iterator<double[]> mine, double[] start, int rounds, Algorithm algorithm) {
    List<double[]> points = new ArrayList<>();
    mine.foreach(points::add);
    double[] model = start;
    int length = algorithm.sums();
    try (SymmetricMemory memory =
        SymmetricMemory.open(BarrierTaskContext.get(), (long) length * Double.BYTES)) {
      for (int round = 0; round < rounds; round++) {
        double[] sums = new double[length];
        for (double[] point : points) {
          algorithm.add(model, point, sums);
        }
        MemorySegment.copy(sums, 0, memory.local(), JAVA_DOUBLE, 0, length);
        memory.allReduce(Reduction.SUM, ElementType.DOUBLE, 0, length);
        MemorySegment.copy(memory.local(), JAVA_DOUBLE, 0, sums, 0, length);
        model = algorithm.next(model, sums);
      }
    }
    return CollectionConverters.asScala(List.of(model).iterator());
  }

  /** The model is k centers; the sums are those of their points' coordinates, and their numbers. */
  static Algorithm kMeans(int k, int dimensions) {
    return new Algorithm() {
      @Override
      public int sums() {
        return k * (dimensions + 1);
      }

      @Override
      public void add(double[] centers, double[] point, double[] sums) {
        int nearest = 0;
        double least = Double.MAX_VALUE;
        for (int c = 0; c < k; c++) {
          double distance = 0;
          for (int d = 0; d < dimensions; d++) {
            double difference = point[d] - centers[c * dimensions + d];
            distance += difference * difference;
          }
          nearest = distance < least ? c : nearest;
          least = Math.min(distance, least);
        }
        for (int d = 0; d < dimensions; d++) {
          sums[nearest * dimensions + d] += point[d];
        }
        sums[k * dimensions + nearest]++;
      }

      @Override
      public double[] next(double[] centers, double[] sums) {
        double[] next = centers.clone();
        for (int i = 0; i < next.length; i++) {
          double points = sums[k * dimensions + i / dimensions];
          next[i] = points == 0 ? next[i] : sums[i] / points;
        }
        return next;
      }
    };
  }

  /** The model is a weight per feature; the last value of a point is its label, 0 or 1. */
  static Algorithm logisticRegression(int features, double rate) {
    return new Algorithm() {
      @Override
      public int sums() {
        return features + 1;
      }

      @Override
      public void add(double[] weights, double[] point, double[] sums) {
        double margin = 0;
        for (int f = 0; f < features; f++) {
          margin += weights[f] * point[f];
        }
        double error = 1 / (1 + Math.exp(-margin)) - point[features];
        for (int f = 0; f < features; f++) {
          sums[f] += error * point[f];
        }
        sums[features]++;
      }

      @Override
      public double[] next(double[] weights, double[] sums) {
        double[] next = weights.clone();
        for (int f = 0; f < features; f++) {
          next[f] -= rate * sums[f] / sums[features];
        }
        return next;
      }
    };
  }

  /** Points around k centers; the label says on which side of a plane a point is. */
  static JavaRDD<double[]> points(JavaSparkContext spark, int count, int dimensions, int tasks) {
    List<Integer> seeds = new ArrayList<>();
    for (int task = 0; task < tasks; task++) {
      seeds.add(task);
    }
    return spark
        .parallelize(seeds, tasks)
        .flatMap(
            seed -> {
              Random random = new Random(seed);
              List<double[]> points = new ArrayList<>();
              for (int i = 0; i < count / tasks; i++) {
                double[] point = new double[dimensions + 1];
                for (int d = 0; d < dimensions; d++) {
                  point[d] = random.nextInt(5) + random.nextGaussian() / 5;
                }
                point[dimensions] = point[0] + random.nextGaussian() > 2 ? 1 : 0;
                points.add(point);
              }
              return points.iterator();
            })
        .cache();
  }

  /** Runs all four, and returns the greatest difference between two models that should be equal. */
  static double compare(JavaSparkContext spark, int count, int dimensions, int rounds, int tasks) {
    JavaRDD<double[]> points = points(spark, count, dimensions, tasks);
    points.count();
    int k = 5;
    double[] centers = new double[k * dimensions];
    for (int i = 0; i < centers.length; i++) {
      centers[i] = i / dimensions + i % dimensions / 1e3;
    }
    double worst = 0;
    for (boolean clusters : new boolean[] {true, false}) {
      Algorithm algorithm =
          clusters ? kMeans(k, dimensions) : logisticRegression(dimensions, 0.1);
      double[] start = clusters ? centers : new double[dimensions];
      long begin = System.nanoTime();
      double[] one = withTreeAggregate(points, start, rounds, algorithm);
      long middle = System.nanoTime();
      double[] other = withAllReduce(points, start, rounds, algorithm);
      long end = System.nanoTime();
      System.out.printf(
          "%s, %d rounds: treeAggregate %.2f s, all-reduce %.2f s%n",
          clusters ? "k-means" : "logistic regression",
          rounds,
          (middle - begin) / 1e9,
          (end - middle) / 1e9);
      for (int i = 0; i < one.length; i++) {
        worst = Math.max(worst, Math.abs(one[i] - other[i]));
      }
      if (Arrays.equals(one, start)) {
        throw new IllegalStateException("nothing was learned");
      }
    }
    return worst;
  }

  public static void main(String[] arguments) {
    SparkSession spark = SparkSession.builder().getOrCreate();
    int tasks = spark.sparkContext().defaultParallelism();
    double difference =
        compare(JavaSparkContext.fromSparkContext(spark.sparkContext()), 100_000, 50, 30, tasks);
    System.out.println("The models differ by at most " + difference);
    spark.stop();
  }
}
