// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.rapids;

import java.util.Optional;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.execution.metric.SQLMetric;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Function0;
import scala.Option;
import scala.collection.immutable.Map;

/**
 * The part of the RAPIDS Accelerator's API that a shuffle of tables needs, as of 26.08. Arguments
 * and results of type {@code Object} have RAPIDS' types. Thread-safe.
 */
final class RapidsApi {
  private static final String RAPIDS = "com.nvidia.spark.rapids.";
  private static final String SQL = "org.apache.spark.sql.rapids.";

  private static final Logger LOG = LoggerFactory.getLogger(RapidsApi.class);

  private final CudfApi cudf;
  private final Optional<RowHashes> rowHashes;
  private final TableSerializer serializer;
  private final Optional<BatchSplitter> splitter;
  private final Class<?> dependency;
  private final Member usesGpu;
  private final Member sparkTypes;
  private final Member metrics;
  private final Class<?> packedColumn;
  private final Member contiguousTable;
  private final Member packedTable;
  private final Member toBatch;
  private final Member semaphore;
  private final Member acquire;
  private final Member retry;
  private final Member newConf;
  private final Member shuffleEnvironment;
  private final Member initialize;
  private final Member managerName;
  private final Member usesGpuShuffle;
  private final Member singlePartitionUsesGpu;

  /**
   * @param loader a loader that finds RAPIDS' classes for this Spark version
   * @throws RapidsMismatchException if a member is missing; the message names it
   */
  RapidsApi(ClassLoader loader) throws RapidsMismatchException {
    Members members = new Members(loader);
    this.cudf = new CudfApi(members);
    this.rowHashes =
        optional(() -> new RowHashes(members, cudf), "Row checksums cannot be computed on the GPU");
    this.serializer = new TableSerializer(members, cudf, rowHashes);
    this.splitter = optional(() -> new BatchSplitter(members, serializer), BatchSplitter.OTHERWISE);
    this.dependency = members.type(SQL + "GpuShuffleDependency");
    this.usesGpu = members.method(dependency, "useGPUShuffle", boolean.class);
    this.sparkTypes = members.method(dependency, "sparkTypes", DataType[].class);
    this.metrics = members.method(dependency, "metrics", Map.class);
    this.packedColumn = members.type(RAPIDS + "GpuPackedTableColumn");
    this.contiguousTable =
        members.method(
            packedColumn, "getContiguousTable", members.type("ai.rapids.cudf.ContiguousTable"));
    this.packedTable =
        members.method(members.type("ai.rapids.cudf.ContiguousTable"), "getTable", cudf.table());
    this.toBatch =
        members.staticMethod(
            members.type(RAPIDS + "GpuColumnVector"),
            "from",
            ColumnarBatch.class,
            cudf.table(),
            DataType[].class);
    Class<?> semaphoreType = members.type(RAPIDS + "GpuSemaphore$");
    this.semaphore = members.staticField(semaphoreType, "MODULE$", semaphoreType);
    this.acquire =
        members.method(semaphoreType, "acquireIfNecessary", void.class, TaskContext.class);
    this.retry =
        members.staticMethod(
            members.type(RAPIDS + "RmmRapidsRetryIterator"),
            "withRetryNoSplit",
            Object.class,
            Function0.class);
    Class<?> conf = members.type(RAPIDS + "RapidsConf");
    this.newConf = members.constructor(conf, SparkConf.class);
    Class<?> environment = members.type(SQL + "GpuShuffleEnv$");
    this.shuffleEnvironment = members.staticField(environment, "MODULE$", environment);
    this.initialize = members.method(environment, "init", void.class, conf);
    this.managerName = members.method(environment, "RAPIDS_SHUFFLE_CLASS", String.class);
    this.usesGpuShuffle = members.method(environment, "useGPUShuffle", boolean.class, conf);
    this.singlePartitionUsesGpu =
        members.privateStaticSetter(
            members.type(RAPIDS + "GpuSinglePartitioning$"),
            "com$nvidia$spark$rapids$GpuPartitioning$$_useGPUShuffle",
            boolean.class);
  }

  /** Looks up a part of the API. */
  @FunctionalInterface
  private interface Part<T> {
    T find() throws RapidsMismatchException;
  }

  private static <T> Optional<T> optional(Part<T> part, String otherwise) {
    try {
      return Optional.of(part.find());
    } catch (RapidsMismatchException e) {
      LOG.warn("{}: {}", otherwise, e.getMessage());
      return Optional.empty();
    }
  }

  CudfApi cudf() {
    return cudf;
  }

  /** What serializes tables. */
  TableSerializer serializer() {
    return serializer;
  }

  /** What makes exchanges split whole batches, if this version supports it. */
  Optional<BatchSplitter> splitter() {
    return splitter;
  }

  /** The hashes of rows on the GPU, if this version supports them. */
  Optional<RowHashes> rowHashes() {
    return rowHashes;
  }

  /** Whether a dependency is a shuffle of packed tables on the GPU. */
  boolean isGpuShuffle(Object shuffleDependency) {
    return dependency.isInstance(shuffleDependency) && (boolean) usesGpu.call(shuffleDependency);
  }

  DataType[] types(Object shuffleDependency) {
    return ((DataType[]) sparkTypes.call(shuffleDependency)).clone();
  }

  /** Adds to the metric that adaptive execution uses as the size of a shuffle. */
  void addDataSize(Object shuffleDependency, long bytes) {
    @SuppressWarnings("unchecked") // as declared in Scala
    Map<String, SQLMetric> all = (Map<String, SQLMetric>) metrics.call(shuffleDependency);
    Option<SQLMetric> size = all.get("dataSize");
    if (size.isDefined()) {
      size.get().add(bytes);
    }
  }

  boolean isPacked(Object column) {
    return packedColumn.isInstance(column);
  }

  /** The table of a packed column, valid while the column is open. */
  Object packedTable(Object column) {
    return packedTable.call(contiguousTable.call(column));
  }

  /** Creates a batch that keeps the table's columns alive. */
  ColumnarBatch toBatch(Object table, DataType[] types) {
    return (ColumnarBatch) toBatch.call(table, types);
  }

  void acquireSemaphore(TaskContext task) {
    acquire.call(semaphore.call(), task);
  }

  @SuppressWarnings("unchecked") // the result of the attempt
  <T> T withRetry(Supplier<T> attempt) {
    Function0<T> function = attempt::get;
    return (T) retry.call(function);
  }

  /**
   * Makes RAPIDS keep the partitions of its exchanges on the GPU in this process. Its shuffle
   * environment checks once whether the shuffle manager is RAPIDS' own.
   *
   * @param conf the settings of this process's SparkEnv; changed temporarily during the call
   * @return whether RAPIDS now keeps partitions on the GPU
   */
  boolean keepPartitionsOnGpu(SparkConf conf) {
    String key = "spark.shuffle.manager";
    String manager = conf.get(key, "");
    conf.set(key, (String) managerName.call(shuffleEnvironment.call()));
    try {
      return keepsPartitionsOnGpu(conf);
    } finally {
      conf.set(key, manager);
    }
  }

  /**
   * Makes RAPIDS copy its partitions to the host again in this process.
   *
   * @return whether RAPIDS now does
   */
  boolean returnToHost(SparkConf conf) {
    boolean kept = keepsPartitionsOnGpu(conf);
    // An object of Scala, which keeps what it found when it was first used.
    singlePartitionUsesGpu.call(false);
    return !kept;
  }

  /**
   * Initializes RAPIDS' shuffle environment from the settings.
   *
   * @return whether RAPIDS now keeps partitions on the GPU
   */
  private boolean keepsPartitionsOnGpu(SparkConf conf) {
    Object environment = shuffleEnvironment.call();
    Object rapidsConf = newConf.call(conf);
    initialize.call(environment, rapidsConf);
    return (boolean) usesGpuShuffle.call(environment, rapidsConf);
  }
}
