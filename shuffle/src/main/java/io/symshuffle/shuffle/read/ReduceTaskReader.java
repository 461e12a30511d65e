// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.core.PeTable;
import io.symshuffle.shuffle.core.ShuffleRuntime;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.task.TaskEnd;
import java.io.InputStream;
import java.util.OptionalInt;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.storage.BlockId;
import scala.Product2;
import scala.Tuple2;
import scala.collection.Iterator;

/**
 * What all reduce tasks have in common: a lease, the plan of what is read in place, and Spark's
 * fetcher for the rest.
 *
 * <p>The lease is held until the task ends, not only until the last record is read: Spark may still
 * look at that one.
 */
abstract class ReduceTaskReader<K, C> implements ShuffleReader<K, C> {
  private final ShuffleRuntime runtime;
  private final ReadRequest request;
  private final TaskContext context;
  private final ShuffleReadMetricsReporter metrics;

  ReduceTaskReader(
      ShuffleRuntime runtime,
      ReadRequest request,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    this.runtime = requireNonNull(runtime, "runtime is null");
    this.request = requireNonNull(request, "request is null");
    this.context = requireNonNull(context, "context is null");
    this.metrics = requireNonNull(metrics, "metrics is null");
  }

  /** Reads; the lease is held. */
  abstract Iterator<Product2<K, C>> read(ReadTask task);

  @Override
  public final Iterator<Product2<K, C>> read() {
    // Before anything is looked up: see LeaseTable.
    Lease lease = runtime.leases().acquire(request.shuffleId());
    TaskEnd.of(context, lease::close);
    ReadTask task =
        ReadTask.of(
            request, runtime.outputs(), runtime.config().checksum(), metrics, runtime.stats());
    return new InterruptibleIterator<>(context, read(task));
  }

  final ShuffleRuntime runtime() {
    return runtime;
  }

  final TaskContext context() {
    return context;
  }

  final ShuffleReadMetricsReporter metrics() {
    return metrics;
  }

  /** Asks Spark's tracker, and hands what is in reach to {@code local}. */
  final ReadPlan plan(ReadTask task, LocalReads local) {
    String self = SparkEnv.get().executorId();
    // Our own blocks are here whatever the table says: Spark's fetcher takes a reference on a block
    // of its own executor that it never releases, so its lease would not end.
    PeTable pes = id -> id.equals(self) ? OptionalInt.of(runtime.myPe()) : runtime.peers().peOf(id);
    ReadPlan plan =
        ReadPlan.of(
            SparkEnv.get()
                .mapOutputTracker()
                .getMapSizesByExecutorId(
                    request.shuffleId(),
                    request.startMap(),
                    request.endMap(),
                    request.startPartition(),
                    request.endPartition()),
            pes,
            runtime::readsInPlace,
            local);
    refuseLost(task, plan);
    return plan;
  }

  /** Starts Spark's fetcher, which goes on while blocks of this host are read. */
  final FetchedFrames fetch(ReadTask task, ReadPlan plan) {
    Iterator<Tuple2<BlockId, InputStream>> blocks =
        SparkFetcher.fetch(
            plan.remote(), request.endPartition() - request.startPartition() > 1, context, metrics);
    return new FetchedFrames(blocks, plan.remoteSources(), task.failures());
  }

  /** Spark's fetcher would try to connect to an executor that is gone for some 15 seconds. */
  private void refuseLost(ReadTask task, ReadPlan plan) {
    for (MapSource source : plan.remoteSources().values()) {
      if (runtime.peers().isLost(source.address().executorId())) {
        throw task.failures()
            .raise(source, "the executor is lost, and its heap is out of reach here", null);
      }
    }
  }
}
