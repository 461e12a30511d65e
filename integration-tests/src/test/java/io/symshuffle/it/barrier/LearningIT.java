// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it.barrier;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.symshuffle.it.SparkCluster;
import io.symshuffle.it.SparkTest;
import java.lang.reflect.Method;
import java.nio.file.Path;
import javax.tools.ToolProvider;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The example of the page about barrier stages learns the same with both ways of summing. */
@Tag("full")
class LearningIT {
  private static final Path SOURCE = Path.of("..", "docs", "examples", "Learning.java");

  /** A folder of the class path of this process and of the executors. */
  private static final Path CLASSES = Path.of("target", "test-classes");

  @Test
  @SparkTest(cores = 2, conf = "spark.symshuffle.heap.size=64m")
  void modelsAreThoseOfTreeAggregate(SparkCluster cluster) throws Exception {
    assertEquals(
        0,
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                CLASSES.toString(),
                SOURCE.toString()));
    Method compare =
        Class.forName("Learning")
            .getDeclaredMethod(
                "compare", JavaSparkContext.class, int.class, int.class, int.class, int.class);
    compare.setAccessible(true);
    double difference =
        (double)
            compare.invoke(
                null, JavaSparkContext.fromSparkContext(cluster.context()), 8_000, 20, 12, 4);
    // The order of the sums differs.
    assertTrue(difference < 1e-9, () -> "the models differ by " + difference);
  }
}
