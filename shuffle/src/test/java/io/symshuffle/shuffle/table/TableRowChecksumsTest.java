// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.table;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.package$;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec;
import org.apache.spark.sql.types.DataType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TableRowChecksumsTest {
  private static final String ENABLED = "spark.sql.shuffle.orderIndependentChecksum.enabled";
  private static final String RETRY =
      "spark.sql.shuffle.orderIndependentChecksum.enableFullRetryOnMismatch";
  private static final String ROLLBACK =
      "spark.sql.shuffle.orderIndependentChecksum.enableQueryLevelRollbackOnMismatch";

  @TempDir private static Path folder;

  private static SparkSession spark;
  private ShuffleDependency<?, ?, ?> dependency;

  @BeforeAll
  static void start() {
    assumeTrue(
        package$.MODULE$.SPARK_VERSION().startsWith("4.2."),
        "Spark compares row checksums of RAPIDS' tables from 4.2 on");
    spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.local.dir", folder.toString())
            .config("spark.sql.adaptive.enabled", "false")
            .getOrCreate();
  }

  @AfterAll
  static void stop() throws Exception {
    if (spark != null) {
      spark.close();
    }
  }

  /** A dependency as RAPIDS creates it: the scheduler ignores row checksums. */
  @BeforeEach
  void createDependency() throws Exception {
    set(false, false);
    SparkPlan plan = spark.range(10).repartition(3).queryExecution().executedPlan();
    while (!(plan instanceof ShuffleExchangeExec)) {
      plan = plan.children().head();
    }
    dependency = ((ShuffleExchangeExec) plan).shuffleDependency();
    assertFalse(flag("FullRetry"));
  }

  @Test
  void schedulerActsOnChecksumsBySparksDefaults() throws Exception {
    spark.conf().unset(ENABLED);
    spark.conf().unset(RETRY);
    assertAll(
        () -> assertTrue(enable(Optional.empty(), true)),
        () -> assertTrue(flag("FullRetry")),
        () ->
            assertEquals(spark.conf().get(ROLLBACK), Boolean.toString(flag("QueryLevelRollback"))));
  }

  @Test
  void checksumsAreComputedButIgnoredWithoutFullRetry() throws Exception {
    set(true, false);
    assertTrue(enable(Optional.empty(), true));
    assertFalse(flag("FullRetry"));
  }

  @Test
  void noChecksumsIfTheUserSwitchesThemOff() throws Exception {
    assertFalse(enable(Optional.empty(), true));
    assertFalse(flag("FullRetry"));
  }

  /** Otherwise Spark would not repeat stages that it cannot predict, without checksums. */
  @Test
  void schedulerExpectsNoChecksumsOfRowsThatCannotBeHashed() throws Exception {
    set(true, true);
    assertFalse(enable(Optional.of("RAPIDS cannot hash columns of type binary"), true));
    assertFalse(flag("FullRetry"));
  }

  @Test
  void sparksDefaultsDoNotApplyToRowsThatAreHashedOnlyIfTheUserWantsIt() throws Exception {
    spark.conf().unset(ENABLED);
    spark.conf().unset(RETRY);
    assertFalse(enable(Optional.empty(), false));
    assertFalse(flag("FullRetry"));
  }

  @ParameterizedTest
  @CsvSource({"true, false", "false, true", "true, true"})
  void rowsThatAreNotHashedByDefaultHaveChecksumsIfTheUserWantsThem(boolean enabled, boolean retry)
      throws Exception {
    set(enabled, retry);
    assertTrue(enable(Optional.empty(), false));
    assertEquals(retry, flag("FullRetry"));
  }

  /** Earlier versions of Spark do not have these. */
  private boolean flag(String name) throws ReflectiveOperationException {
    Method method = ShuffleDependency.class.getMethod("checksumMismatch" + name + "Enabled");
    return (boolean) method.invoke(dependency);
  }

  private boolean enable(Optional<String> reasonNotToHash, boolean byDefault) {
    TableEngine engine =
        (TableEngine)
            Proxy.newProxyInstance(
                TableEngine.class.getClassLoader(),
                new Class<?>[] {TableEngine.class},
                (proxy, method, arguments) ->
                    switch (method.getName()) {
                      case "types" -> new DataType[0];
                      case "reasonNotToHash" -> reasonNotToHash;
                      case "reasonNotToHashByDefault" ->
                          byDefault ? Optional.empty() : Optional.of("they take long to hash");
                      default -> throw new AssertionError(method);
                    });
    return new TableRowChecksums().enable(1, engine, dependency);
  }

  private static void set(boolean enabled, boolean retry) {
    spark.conf().set(ENABLED, enabled);
    spark.conf().set(RETRY, retry);
  }
}
