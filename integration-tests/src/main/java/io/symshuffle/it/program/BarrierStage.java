// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.program;

import java.io.Serializable;
import java.util.Collections;
import java.util.List;
import org.apache.spark.BarrierTaskContext;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkException;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Function1;
import scala.collection.Iterator;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/** Runs a function in each task of a barrier stage. */
public final class BarrierStage {
  private BarrierStage() {}

  /**
   * The work of a task.
   *
   * @param <R> its result
   */
  @FunctionalInterface
  public interface Body<R> extends Serializable {
    /** Returns the result. */
    R run(BarrierTaskContext task) throws Exception;
  }

  /** Returns the results by partition. */
  public static <R> List<R> run(SparkContext context, int tasks, Class<R> type, Body<R> body) {
    return results(context, tasks, type, body).collect();
  }

  /** Returns the results in any order; Spark repeats barrier stages only before a shuffle. */
  public static <R> List<R> runAndShuffle(
      SparkContext context, int tasks, Class<R> type, Body<R> body) {
    return results(context, tasks, type, body).repartition(2).collect();
  }

  /** Returns the message with which the stage fails. */
  public static String failure(SparkContext context, int tasks, Body<Integer> body) {
    List<Integer> results;
    try {
      results = run(context, tasks, Integer.class, body);
    } catch (Exception e) {
      // Spark's exception is checked, and Java does not know that it is thrown.
      if (e instanceof SparkException) {
        return e.getMessage();
      }
      throw e;
    }
    throw new AssertionError("the stage did not fail, and returned " + results);
  }

  private static <R> JavaRDD<R> results(
      SparkContext context, int tasks, Class<R> type, Body<R> body) {
    return JavaSparkContext.fromSparkContext(context)
        .parallelize(Collections.nCopies(tasks, 0), tasks)
        .rdd()
        .barrier()
        .mapPartitions(
            (Function1<Iterator<Integer>, Iterator<R>> & Serializable) rows -> results(body),
            false,
            ClassTag$.MODULE$.<R>apply(type))
        .toJavaRDD();
  }

  private static <R> Iterator<R> results(Body<R> body) {
    try {
      R result = body.run(BarrierTaskContext.get());
      return CollectionConverters.asScala(List.of(result).iterator());
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
