// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.core.ShuffleRuntime;
import io.symshuffle.shuffle.core.SymShuffleHandle;
import io.symshuffle.shuffle.core.TaskEnd;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.fault.FaultPoint;
import io.symshuffle.shuffle.fault.Faults;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.package$;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import scala.Product2;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Reads the blocks of a range of partitions of a range of map tasks, as one iterator of records.
 *
 * <p>It holds a lease on the shuffle until the task ends, not only until the last record is read:
 * Spark may still look at that one.
 *
 * @param <K> key
 * @param <C> value
 */
public final class SymShuffleReader<K, C> implements ShuffleReader<K, C> {
  private final ShuffleRuntime runtime;
  private final SymShuffleHandle<K, ?, C> handle;
  private final MapRange maps;
  private final int startPartition;
  private final int endPartition;
  private final TaskContext context;
  private final ShuffleReadMetricsReporter metrics;

  /**
   * Map tasks {@code start} to {@code end - 1}; {@code Integer.MAX_VALUE} is the last one's end.
   */
  public record MapRange(int start, int end) {}

  /** A reader for partitions {@code startPartition} to {@code endPartition - 1}. */
  public SymShuffleReader(
      ShuffleRuntime runtime,
      SymShuffleHandle<K, ?, C> handle,
      MapRange maps,
      int startPartition,
      int endPartition,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    this.runtime = requireNonNull(runtime, "runtime is null");
    this.handle = requireNonNull(handle, "handle is null");
    this.maps = requireNonNull(maps, "maps is null");
    this.startPartition = startPartition;
    this.endPartition = endPartition;
    this.context = requireNonNull(context, "context is null");
    this.metrics = requireNonNull(metrics, "metrics is null");
  }

  @Override
  public Iterator<Product2<K, C>> read() {
    // Before anything is looked up: see LeaseTable.
    Lease lease = runtime.leases().acquire(handle.shuffleId());
    TaskEnd.of(context, lease::close);
    Faults faults = Faults.current();
    if (faults != null) {
      faults.strikeUnfailing(FaultPoint.LEASE);
    }
    BlockCursor blocks = blocks();
    Iterator<Product2<K, C>> records =
        handle.rowFields().isPresent()
            ? rows(blocks, handle.rowFields().getAsInt())
            : deserialized(blocks);
    return new InterruptibleIterator<>(context, records);
  }

  private BlockCursor blocks() {
    FetchFailures failures = new FetchFailures(handle.shuffleId(), startPartition, runtime.stats());
    RowReadPlan plan = plan(failures);
    refuseLost(plan, failures);
    boolean verify = runtime.config().checksum();
    // Fetching starts here and goes on while the blocks of this host are read.
    TransferCursor remote =
        plan.remote().isEmpty()
            ? null
            : new TransferCursor(
                SparkFetcher.fetch(
                    plan.remote(), endPartition - startPartition > 1, context, metrics),
                plan.remoteSources(),
                verify,
                runtime.stats(),
                failures);
    Optional<DeviceCursor> device = device(plan, failures);
    if (remote != null && plan.host().isEmpty() && device.isEmpty()) {
      return remote;
    }
    HostCursor host =
        new HostCursor(
            runtime.outputs(),
            plan.host(),
            handle.shuffleId(),
            startPartition,
            endPartition,
            verify,
            metrics,
            runtime.stats(),
            failures);
    TaskEnd.of(context, host::closeDisk);
    BlockCursor here = host;
    if (device.isPresent()) {
      host.leaveDeviceRuns();
      here = new ChainedCursor(host, device.get());
    }
    return remote == null ? here : new ChainedCursor(here, remote);
  }

  private RowReadPlan plan(FetchFailures failures) {
    Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> answer =
        SparkEnv.get()
            .mapOutputTracker()
            .getMapSizesByExecutorId(
                handle.shuffleId(), maps.start, maps.end, startPartition, endPartition);
    if (!runtime.config().deviceRows()) {
      return RowReadPlan.of(ReadPlan.of(answer, runtime));
    }
    Map<BlockManagerId, Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> byAddress =
        new LinkedHashMap<>();
    while (answer.hasNext()) {
      Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>> next = answer.next();
      byAddress.put(next._1(), next);
    }
    ReadPlan plan =
        ReadPlan.of(CollectionConverters.asScala(byAddress.values().iterator()), runtime);
    return new RowReadPlan.Planner(
            runtime.outputs(),
            runtime.deviceRows(),
            runtime.myPe(),
            startPartition,
            endPartition,
            failures)
        .plan(plan, byAddress);
  }

  /** Fetching from GPUs starts here, too. */
  private Optional<DeviceCursor> device(RowReadPlan plan, FetchFailures failures) {
    if (plan.device().isEmpty()) {
      return Optional.empty();
    }
    long mostInFlight =
        (long) SparkEnv.get().conf().get(package$.MODULE$.REDUCER_MAX_SIZE_IN_FLIGHT()) << 20;
    DeviceCursor cursor =
        new DeviceCursor(
            runtime.deviceRows().orElseThrow(),
            plan.device(),
            new DeviceCursor.Limits(mostInFlight, runtime.config().checksum()),
            metrics,
            runtime.stats(),
            failures);
    TaskEnd.of(context, cursor::close);
    cursor.start();
    return Optional.of(cursor);
  }

  /** Spark's fetcher would try to connect to an executor that is gone for some 15 seconds. */
  private void refuseLost(RowReadPlan plan, FetchFailures failures) {
    for (MapSource source : plan.remoteSources().values()) {
      if (runtime.peers().isLost(source.address().executorId())) {
        throw failures.raise(
            source, "the executor is lost, and its heap is not within reach here", null);
      }
    }
  }

  @SuppressWarnings("unchecked") // a shuffle with a row count has rows as values and ints as keys
  private Iterator<Product2<K, C>> rows(BlockCursor blocks, int fields) {
    RowIterator rows = new RowIterator(blocks, fields, metrics);
    TaskEnd.of(
        context,
        () -> {
          rows.reportRecords();
          context.taskMetrics().mergeShuffleReadMetrics();
        });
    return (Iterator<Product2<K, C>>) (Iterator<?>) rows;
  }

  private Iterator<Product2<K, C>> deserialized(BlockCursor blocks) {
    Iterator<Tuple2<Object, Object>> pairs =
        handle
            .dependency()
            .serializer()
            .newInstance()
            .deserializeStream(new RecordInputStream(blocks))
            .asKeyValueIterator();
    TaskEnd.of(context, () -> context.taskMetrics().mergeShuffleReadMetrics());
    return new AbstractIterator<>() {
      @Override
      public boolean hasNext() {
        return pairs.hasNext();
      }

      @Override
      @SuppressWarnings("unchecked") // what the writer serialized
      public Product2<K, C> next() {
        Product2<K, C> pair = (Product2<K, C>) (Product2<?, ?>) pairs.next();
        metrics.incRecordsRead(1);
        return pair;
      }
    };
  }
}
