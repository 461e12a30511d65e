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
 * Makes RAPIDS keep the partitions of its exchanges on the GPU and installs it as the engine of
 * table shuffles, in this process. The driver's plugin decides for the application.
 */
public final class RapidsStart {
  /** The setting in which the driver stores its decision. */
  public static final String MODE_KEY = "spark.symshuffle.rapids.mode";

  /** The value for tables that stay on the GPU. */
  public static final String DEVICE = "device";

  private static final Logger LOG = LoggerFactory.getLogger(RapidsStart.class);

  private RapidsStart() {}

  /** Whether the driver has decided that tables stay on the GPU. */
  public static boolean isWanted(SparkConf conf) {
    return DEVICE.equals(conf.get(MODE_KEY, ""));
  }

  /**
   * Checks that RAPIDS has all members that are needed, without initializing it.
   *
   * @throws RapidsMismatchException if it is not compatible
   */
  public static void check() throws RapidsMismatchException {
    new RapidsApi(shimLoader());
  }

  /**
   * Starts on the driver, which plans queries and has no GPU. Must be called again whenever RAPIDS
   * may have been restarted in this process.
   *
   * @throws RapidsMismatchException if RAPIDS cannot be used
   */
  public static void onDriver() throws RapidsMismatchException {
    TableEngines.install(new RapidsEngine(initialized(), Optional.empty()));
  }

  /**
   * Starts on an executor, after RAPIDS has started. Does not throw if RAPIDS cannot be used: tasks
   * then fail with the reason.
   */
  public static void onExecutor() {
    try {
      TableEngines.install(selfTested(initialized()));
      LOG.info("RAPIDS keeps the partitions of its exchanges on the GPU");
    } catch (RapidsMismatchException | RuntimeException | LinkageError e) {
      String reason =
          "RAPIDS cannot be used on this executor: %s. Use the same RAPIDS jar on all machines, or set %s=host"
              .formatted(e.getMessage(), MODE_KEY);
      LOG.error(reason, e);
      TableEngines.unavailable(reason);
    }
  }

  /**
   * Creates an engine that has passed the self-test, with the faster concatenation if it passes
   * too.
   */
  private static RapidsEngine selfTested(RapidsApi rapids) throws RapidsMismatchException {
    if (rapids.packedViews().isEmpty()) {
      return selfTested(rapids, Optional.empty());
    }
    try {
      return selfTested(rapids, rapids.packedViews());
    } catch (RapidsMismatchException | RuntimeException | LinkageError e) {
      RapidsEngine engine = selfTested(rapids, Optional.empty());
      LOG.warn("Faster concatenation of packed tables failed; using cuDF's public API", e);
      return engine;
    }
  }

  private static RapidsEngine selfTested(RapidsApi rapids, Optional<PackedViews> views)
      throws RapidsMismatchException {
    RapidsEngine engine = new RapidsEngine(rapids, views);
    RapidsSelfTest.run(rapids.cudf(), engine);
    return engine;
  }

  private static RapidsApi initialized() throws RapidsMismatchException {
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

  /** The class loader that RAPIDS creates for its classes for this Spark version. */
  private static ClassLoader shimLoader() throws RapidsMismatchException {
    ClassLoader outer = Thread.currentThread().getContextClassLoader();
    Members members = new Members(outer == null ? RapidsStart.class.getClassLoader() : outer);
    Class<?> shims = members.type("com.nvidia.spark.rapids.ShimLoader");
    try {
      return (ClassLoader)
          members.staticMethod(shims, "getShimClassLoader", ClassLoader.class).call();
    } catch (RuntimeException | LinkageError e) {
      throw new RapidsMismatchException("its classes for this Spark cannot be loaded: " + e, e);
    }
  }
}
