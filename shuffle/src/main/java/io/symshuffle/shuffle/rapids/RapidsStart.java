// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import io.symshuffle.ffi.ProcessEnvironment;
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

  /**
   * RAPIDS' setting whether cuDF allocates from the pinned memory pool that RAPIDS' Java code uses.
   * cuDF frees memory there that the GPU has not read yet, and the Java code does not wait for it
   * before writing (cudf 26.08, {@code concatenate.cu} and {@code allocFromPinnedPool} of {@code
   * RmmJni.cpp}).
   */
  public static final String SHARE_PINNED_POOL = "spark.rapids.memory.pinnedPool.setCuioDefault";

  /**
   * The initial size of cuDF's own pinned memory pool in bytes, which RAPIDS would set to 0: cuDF
   * would then allocate and free pinned memory for each copy.
   */
  private static final String CUDF_POOL_BYTES = "LIBCUDF_PINNED_POOL_SIZE";

  /** cuDF's default. */
  private static final long DEFAULT_CUDF_POOL_BYTES = 64L << 20;

  static final String NO_ROW_HASHES = "this RAPIDS has no functions to hash rows on the GPU";

  private static final Logger LOG = LoggerFactory.getLogger(RapidsStart.class);

  private RapidsStart() {}

  /**
   * Prepares an executor, before RAPIDS starts there: if cuDF does not share RAPIDS' pinned memory
   * pool, it gets its own pool.
   */
  public static void beforeRapids(SparkConf conf) {
    if (isWanted(conf) && !conf.getBoolean(SHARE_PINNED_POOL, true)) {
      ProcessEnvironment.setIfUnset(CUDF_POOL_BYTES, Long.toString(DEFAULT_CUDF_POOL_BYTES));
    }
  }

  /** Whether the driver has decided that tables stay on the GPU. */
  public static boolean isWanted(SparkConf conf) {
    return DEVICE.equals(conf.get(MODE_KEY, ""));
  }

  /**
   * Checks that RAPIDS has all members that are needed, without initializing it.
   *
   * @return why there are no row checksums of tables on the GPU; empty if there are
   * @throws RapidsMismatchException if it is not compatible
   */
  public static Optional<String> check() throws RapidsMismatchException {
    return new RapidsApi(shimLoader()).rowHashes().isPresent()
        ? Optional.empty()
        : Optional.of(NO_ROW_HASHES);
  }

  /**
   * Starts on the driver, which plans queries and has no GPU. Must be called again whenever RAPIDS
   * may have been restarted in this process.
   *
   * @throws RapidsMismatchException if RAPIDS cannot be used
   */
  public static void onDriver() throws RapidsMismatchException {
    TableEngines.install(new RapidsEngine(initialized()));
  }

  /**
   * Makes RAPIDS copy its partitions to the host again, for all queries that the driver plans from
   * now on.
   *
   * @throws RapidsMismatchException if RAPIDS does not
   */
  public static void returnToHost() throws RapidsMismatchException {
    RapidsApi rapids = new RapidsApi(shimLoader());
    try {
      if (!rapids.returnToHost(SparkEnv.get().conf())) {
        throw new RapidsMismatchException("it still keeps partitions on the GPU", null);
      }
    } catch (RuntimeException | LinkageError e) {
      throw new RapidsMismatchException("its shuffle environment cannot be set: " + e, e);
    }
  }

  /**
   * Starts on an executor, after RAPIDS has started. Does not throw if RAPIDS cannot be used: tasks
   * of shuffles that are already planned then fail with the reason, and the driver is told.
   */
  public static void onExecutor() {
    TableEngines.starting();
    try {
      TableEngines.install(selfTested(initialized()));
      LOG.info("RAPIDS keeps the partitions of its exchanges on the GPU");
    } catch (RapidsMismatchException | RuntimeException | LinkageError | OutOfMemoryError e) {
      // cuDF throws an OutOfMemoryError if the GPU has too little memory for the self-test. Thrown
      // here, it would end the executor.
      String reason =
          "RAPIDS cannot be used on this executor: %s. Use the same RAPIDS jar on all machines, or set %s=host"
              .formatted(e.getMessage(), MODE_KEY);
      LOG.error(reason, e);
      leaveGpu();
      TableEngines.unavailable(reason);
    }
  }

  /** Undoes {@link #initialized}, for the queries that the driver will plan through the host. */
  private static void leaveGpu() {
    try {
      returnToHost();
    } catch (RapidsMismatchException | OutOfMemoryError e) {
      LOG.debug("RAPIDS' shuffle environment is as it was", e);
    }
  }

  private static RapidsEngine selfTested(RapidsApi rapids) throws RapidsMismatchException {
    RapidsEngine engine = new RapidsEngine(rapids);
    RapidsTrial.run(rapids, engine);
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
