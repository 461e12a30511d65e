// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.symshuffle.shuffle.rapids.RapidsStart;
import io.symshuffle.shuffle.read.ReadRequest;
import io.symshuffle.shuffle.read.RowShuffleReader;
import io.symshuffle.shuffle.runtime.ShuffleEndNotifier;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.table.TableEngine;
import io.symshuffle.shuffle.table.TableEngines;
import io.symshuffle.shuffle.table.TableRowChecksums;
import io.symshuffle.shuffle.table.TableShuffleHandle;
import io.symshuffle.shuffle.table.TableShuffleReader;
import io.symshuffle.shuffle.table.TableShuffleWriter;
import io.symshuffle.shuffle.task.RowShuffleHandle;
import io.symshuffle.shuffle.write.RowShuffleWriter;
import io.symshuffle.shuffle.write.SerializedShuffleWriter;
import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;
import org.apache.spark.shuffle.ShuffleWriter;
import org.apache.spark.shuffle.sort.SortShuffleManager;
import org.apache.spark.util.collection.OpenHashSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spark's shuffle manager on the symmetric heap.
 *
 * <p>It extends Spark's sort shuffle for two reasons. Shuffles that SymShuffle does not handle
 * ({@link Eligibility}) use the superclass. And Spark copies each row before it passes the row to a
 * manager that is not a sort shuffle, since such a manager might keep it; SymShuffle copies a row's
 * bytes before it asks for the next row.
 *
 * <p>Spark creates one on the driver and on each executor, after the plugin has started and
 * installed the {@link ShuffleRuntime}. Thread-safe.
 */
public final class SymShuffleManager extends SortShuffleManager {
  private static final Logger LOG = LoggerFactory.getLogger(SymShuffleManager.class);

  /** The driver's executor id. */
  private static final String DRIVER = "driver";

  private final Eligibility eligibility;
  private final ConcurrentHashMap<Object, OpenHashSet<Object>> migrated = new ConcurrentHashMap<>();
  private final SymShuffleBlockResolver resolver;
  private final ConcurrentHashMap<String, Boolean> reasonsLogged = new ConcurrentHashMap<>();
  private final TableRowChecksums tableRowChecksums = new TableRowChecksums();

  /** The ids of SymShuffle's shuffles since the application started; only used on the driver. */
  @GuardedBy("ourShuffles")
  private final BitSet ourShuffles = new BitSet();

  public SymShuffleManager(SparkConf conf) {
    super(conf);
    this.eligibility = new Eligibility();
    this.resolver = new SymShuffleBlockResolver(conf, migrated);
    // On an executor, Spark creates the manager after it has started all plugins, including RAPIDS.
    // On the driver, the plugin starts RAPIDS: in local mode, RAPIDS starts after the manager
    // there.
    boolean executor = !DRIVER.equals(SparkEnv.get().executorId());
    if (executor && RapidsStart.isWanted(conf)) {
      RapidsStart.onExecutor();
    }
  }

  @Override
  public <K, V, C> ShuffleHandle registerShuffle(
      int shuffleId, ShuffleDependency<K, V, C> dependency) {
    Optional<TableEngine> tables =
        TableEngines.current().filter(engine -> engine.isTableShuffle(dependency));
    if (tables.isPresent()) {
      // Spark's sort shuffle cannot handle these: the plan expects batches on the GPU.
      registered(shuffleId);
      return new TableShuffleHandle<>(
          shuffleId, dependency, tableRowChecksums.enable(shuffleId, tables.get(), dependency));
    }
    Optional<String> reason = eligibility.reasonToDelegate(dependency);
    if (reason.isPresent()) {
      ShuffleRuntime.driverStats().delegated(reason.get());
      if (reasonsLogged.putIfAbsent(reason.get(), true) == null) {
        LOG.info(
            "Shuffle {} uses Spark's sort shuffle: {} (logged once for this reason)",
            shuffleId,
            reason.get());
      }
      return super.registerShuffle(shuffleId, dependency);
    }
    registered(shuffleId);
    return new RowShuffleHandle<>(shuffleId, dependency, Eligibility.rowFields(dependency));
  }

  private void registered(int shuffleId) {
    ShuffleRuntime.driverStats().registered();
    synchronized (ourShuffles) {
      ourShuffles.set(shuffleId);
    }
  }

  /** Whether a shuffle uses, or used, the symmetric heap; only valid on the driver. */
  public boolean isOurs(int shuffleId) {
    synchronized (ourShuffles) {
      return ourShuffles.get(shuffleId);
    }
  }

  @Override
  @SuppressWarnings("unchecked") // Spark asks with the types that it registered
  public <K, V> ShuffleWriter<K, V> getWriter(
      ShuffleHandle handle, long mapId, TaskContext context, ShuffleWriteMetricsReporter metrics) {
    return switch (handle) {
      case TableShuffleHandle<?, ?, ?> tables ->
          new TableShuffleWriter<>(
              ShuffleRuntime.require(),
              TableEngines.require(),
              (TableShuffleHandle<K, V, ?>) tables,
              mapId,
              context,
              metrics);
      case RowShuffleHandle<?, ?, ?> rows when rows.rowFields().isPresent() ->
          new RowShuffleWriter<>(
              ShuffleRuntime.require(), (RowShuffleHandle<K, V, ?>) rows, mapId, context, metrics);
      case RowShuffleHandle<?, ?, ?> records ->
          new SerializedShuffleWriter<>(
              ShuffleRuntime.require(),
              (RowShuffleHandle<K, V, ?>) records,
              mapId,
              context,
              metrics);
      default -> super.getWriter(handle, mapId, context, metrics);
    };
  }

  @Override
  @SuppressWarnings("unchecked") // Spark asks with the types that it registered
  public <K, C> ShuffleReader<K, C> getReader(
      ShuffleHandle handle,
      int startMapIndex,
      int endMapIndex,
      int startPartition,
      int endPartition,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    ReadRequest request =
        new ReadRequest(
            handle.shuffleId(), startMapIndex, endMapIndex, startPartition, endPartition);
    return switch (handle) {
      case TableShuffleHandle<?, ?, ?> tables ->
          new TableShuffleReader<>(
              ShuffleRuntime.require(),
              TableEngines.require(),
              (TableShuffleHandle<K, ?, C>) tables,
              request,
              context,
              metrics);
      case RowShuffleHandle<?, ?, ?> rows ->
          new RowShuffleReader<>(
              ShuffleRuntime.require(),
              (RowShuffleHandle<K, ?, C>) rows,
              request,
              context,
              metrics);
      default ->
          super.getReader(
              handle, startMapIndex, endMapIndex, startPartition, endPartition, context, metrics);
    };
  }

  @Override
  public boolean unregisterShuffle(int shuffleId) {
    if (isOurs(shuffleId)) {
      ShuffleEndNotifier.notifyEnded(shuffleId);
    }
    ShuffleRuntime.current().ifPresent(runtime -> runtime.unregister(shuffleId));
    OpenHashSet<Object> maps = migrated.remove(shuffleId);
    if (maps != null) {
      removeMigrated(shuffleId, maps);
    }
    return super.unregisterShuffle(shuffleId);
  }

  @Override
  public IndexShuffleBlockResolver shuffleBlockResolver() {
    // Spark's constructor calls this before the resolver is assigned.
    return resolver == null ? super.shuffleBlockResolver() : resolver;
  }

  /** Removes files of sort shuffles that were migrated here from decommissioned executors. */
  private void removeMigrated(int shuffleId, OpenHashSet<Object> maps) {
    scala.collection.Iterator<Object> ids = maps.iterator();
    while (ids.hasNext()) {
      resolver.removeDataByMap(shuffleId, (long) ids.next());
    }
  }
}
