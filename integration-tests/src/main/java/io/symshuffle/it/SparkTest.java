// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.it;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the tests of a class, or one test, a running Spark application with SymShuffle.
 *
 * <p>A test gets the application as a parameter: {@link SparkCluster} (everything), {@link
 * org.apache.spark.sql.SparkSession} (a new session, so SQL settings and views end with the test)
 * or {@link ResultComparer}. Tests of a top-level class, including its nested classes, that ask for
 * the same settings share the application, which ends with the class. An annotation on a method
 * replaces the one on the class. Logs of a failed test are kept in {@code
 * target/it-logs/<class>/<test>}.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(SparkExtension.class)
@TestMethodOrder(SpecOrder.class)
public @interface SparkTest {
  /** Returns where executors run. */
  ClusterKind cluster() default ClusterKind.LOCAL_CLUSTER;

  /** Returns the number of executors; ignored for {@link ClusterKind#LOCAL}, which has one. */
  int executors() default 2;

  /** Returns cores per executor: how many tasks it runs at a time. */
  int cores() default 1;

  /** Returns memory per executor in MiB; ignored for {@link ClusterKind#LOCAL}. */
  int memoryMb() default 1024;

  /** Returns how the executors get our jar, if at all. */
  PluginJar plugin() default PluginJar.EXTRA_CLASS_PATH;

  /**
   * Returns Spark settings, each a line {@code key=value}, the last one of a key counts; <code>
   * ${name}</code> in a value is replaced by the system property of that name.
   */
  String[] conf() default {};

  /**
   * Returns the time limit of a test in seconds; after it, the application is killed and the test
   * fails. The default is that of {@link io.symshuffle.it.wait.Await}.
   */
  int deadlineSeconds() default 40 * 60;
}
