// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class, or one test, a running Spark application with our shuffle in it.
 *
 * <p>A test takes it as a parameter: {@link SparkCluster} (everything), {@link
 * org.apache.spark.sql.SparkSession} (a session of its own, so that a test's SQL settings and views
 * end with it) or {@link io.symshuffle.it.ResultComparer}. Tests of one class that ask for the same
 * settings share the application, which ends with the class; on a method the annotation replaces
 * the one on the class altogether. Logs of a failing test stay under {@code
 * target/it-logs/<class>/<test>}.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(SparkExtension.class)
public @interface SparkTest {
  /** {@return where executors run} */
  ClusterKind cluster() default ClusterKind.LOCAL_CLUSTER;

  /** {@return number of executors; one is the only choice for {@link ClusterKind#LOCAL}} */
  int executors() default 2;

  /** {@return cores of an executor: how many tasks it runs at a time} */
  int cores() default 1;

  /** {@return memory of an executor in MiB; without meaning for {@link ClusterKind#LOCAL}} */
  int memoryMb() default 1024;

  /** {@return how our jar reaches the executors, or that it does not} */
  PluginJar plugin() default PluginJar.EXTRA_CLASS_PATH;

  /**
   * {@return Spark settings, each {@code key=value}; <code>${name}</code> in a value is the system
   * property of that name}
   */
  String[] conf() default {};

  /**
   * {@return limit of one test in seconds; after it the application is killed and the test fails}
   */
  int deadlineSeconds() default 120;
}
