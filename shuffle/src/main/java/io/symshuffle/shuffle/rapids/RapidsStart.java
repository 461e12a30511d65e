// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.shuffle.table.TableEngines;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes RAPIDS keep the partitions of its exchanges on the GPU and takes it as the engine of table
 * shuffles, in this process. The driver decides for the application; see the plugin.
 */
public final class RapidsStart {
  /** The setting in which the driver leaves its decision. */
  public static final String MODE_KEY = "spark.symshuffle.rapids.mode";

  /** Its value for tables that stay on the GPU. */
  public static final String DEVICE = "device";

  private static final Logger LOG = LoggerFactory.getLogger(RapidsStart.class);

  private RapidsStart() {}

  /** Whether the driver has decided that tables stay on the GPU. */
  public static boolean isWanted(SparkConf conf) {
    return DEVICE.equals(conf.get(MODE_KEY, ""));
  }

  /**
   * Looks RAPIDS up without touching it.
   *
   * @throws RapidsMismatchException if it is not one that we can work with
   */
  public static void check() throws RapidsMismatchException {
    new RapidsApi(shimLoader());
  }

  /**
   * Starts on the driver, which plans and has no GPU. Called again when something may have started
   * RAPIDS anew in this process.
   *
   * @throws RapidsMismatchException if RAPIDS does not do as it should
   */
  public static void onDriver() throws RapidsMismatchException {
    TableEngines.install(new RapidsEngine(armed(), Optional.empty()));
  }

  /**
   * Starts on an executor, after RAPIDS' own start. Never throws: without the engine, tasks fail
   * with the reason.
   */
  public static void onExecutor() {
    try {
      TableEngines.install(tested(armed()));
      LOG.info("RAPIDS keeps the partitions of its exchanges on the GPU");
    } catch (RapidsMismatchException | RuntimeException | LinkageError e) {
      String reason =
          "RAPIDS cannot be used on this executor: %s. Give all machines the same RAPIDS jar, or set %s=host"
              .formatted(e.getMessage(), MODE_KEY);
      LOG.error(reason, e);
      TableEngines.unavailable(reason);
    }
  }

  /** An engine that a table has gone through, with the quick way if that gives the same. */
  private static RapidsEngine tested(RapidsApi rapids) throws RapidsMismatchException {
    if (rapids.packedViews().isEmpty()) {
      return tested(rapids, Optional.empty());
    }
    try {
      return tested(rapids, rapids.packedViews());
    } catch (RapidsMismatchException | RuntimeException | LinkageError e) {
      RapidsEngine engine = tested(rapids, Optional.empty());
      LOG.warn("Packed tables are concatenated by cuDF's public way, the quick one failed", e);
      return engine;
    }
  }

  private static RapidsEngine tested(RapidsApi rapids, Optional<PackedViews> views)
      throws RapidsMismatchException {
    RapidsEngine engine = new RapidsEngine(rapids, views);
    RapidsSelfTest.run(rapids.cudf(), engine);
    return engine;
  }

  private static RapidsApi armed() throws RapidsMismatchException {
    RapidsApi rapids = new RapidsApi(shimLoader());
    boolean kept;
    try {
      kept = rapids.keepPartitionsOnGpu(SparkEnv.get().conf());
    } catch (RuntimeException | LinkageError e) {
      throw new RapidsMismatchException("its shuffle environment cannot be set: " + e, e);
    }
    if (!kept) {
      throw new RapidsMismatchException(
          "it does not keep partitions on the GPU under these settings", null);
    }
    return rapids;
  }

  /** RAPIDS' classes for this Spark lie behind a loader that it makes itself. */
  private static ClassLoader shimLoader() throws RapidsMismatchException {
    ClassLoader outer = Thread.currentThread().getContextClassLoader();
    Members members = new Members(outer == null ? RapidsStart.class.getClassLoader() : outer);
    Class<?> shims = members.type("com.nvidia.spark.rapids.ShimLoader");
    try {
      return (ClassLoader) members.function(shims, "getShimClassLoader", ClassLoader.class).call();
    } catch (RuntimeException | LinkageError e) {
      throw new RapidsMismatchException("its classes for this Spark cannot be loaded: " + e, e);
    }
  }
}
