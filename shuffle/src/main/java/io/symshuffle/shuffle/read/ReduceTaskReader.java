// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.read.AnswerSources.Server;
import io.symshuffle.shuffle.runtime.FetchFailureKind;
import io.symshuffle.shuffle.runtime.PeTable;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.task.TaskEnd;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.spark.FetchFailed;
import org.apache.spark.InterruptibleIterator;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.shuffle.ShuffleReader;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Product2;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Base class of the readers: acquires a lease, plans which blocks are read in place, and starts
 * Spark's fetcher for the others.
 *
 * <p>The lease is held until the task ends, not only until the last record is read, since Spark may
 * still use that record.
 */
public abstract class ReduceTaskReader<K, C> implements ShuffleReader<K, C> {
  private static final Logger LOG = LoggerFactory.getLogger(ReduceTaskReader.class);

  /** Bytes for each byte that the tracker has, if this executor has no map output to compare. */
  private static final double USUAL_RATIO = 4;

  private final ShuffleRuntime runtime;
  private final ReadRequest request;
  private final TaskContext context;
  private final ShuffleReadMetricsReporter metrics;

  protected ReduceTaskReader(
      ShuffleRuntime runtime,
      ReadRequest request,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    this.runtime = runtime;
    this.request = request;
    this.context = context;
    this.metrics = metrics;
  }

  /**
   * Reads the records; called while the lease is held.
   *
   * @param access what other threads must ask before they read map outputs in place; it ends before
   *     the actions that this method registers for the end of the task
   */
  protected abstract Iterator<Product2<K, C>> read(ReadTask task, InPlaceAccess access);

  /**
   * Waits until map outputs are no longer read in place; called when the task ends.
   *
   * @return false if they may still be read: the lease is then kept
   */
  protected boolean endReads() {
    return true;
  }

  @Override
  public final Iterator<Product2<K, C>> read() {
    requireRunning();
    runtime.shared(TaskReadMetrics.class, TaskReadMetrics::new).mergeAtEnd(context);
    // Acquire the lease before any lookup: see LeaseTable.
    Lease lease = runtime.leases().acquire(request.shuffleId());
    TaskEnd.listen(context, () -> release(lease));
    TaskEnd.listen(context, this::noteFailedRead);
    ReadTask task =
        ReadTask.of(
            request,
            runtime.outputs(),
            runtime.config().checksum(),
            metrics,
            runtime.stats(),
            runtime.peerPages(),
            runtime.copies());
    InPlaceAccess access = InPlaceAccess.ofCurrentThread();
    Iterator<Product2<K, C>> records = read(task, access);
    TaskEnd.listen(context, access::end);
    return new InterruptibleIterator<>(context, records);
  }

  /** Remembers, for the next attempt of the stage, whose map outputs this task could not read. */
  private void noteFailedRead() {
    if (context.fetchFailed().isDefined()
        && context.fetchFailed().get().toTaskFailedReason() instanceof FetchFailed failure) {
      runtime.readFailed(failure.bmAddress().executorId());
    }
  }

  private void requireRunning() {
    if (context.isCompleted()) {
      // Spark would run the actions for its end now, and nothing would be protected afterwards.
      throw new IllegalStateException(
          "thread %s cannot read shuffle %d for a task that has ended"
              .formatted(Thread.currentThread().getName(), request.shuffleId()));
    }
  }

  private void release(Lease lease) {
    if (endReads()) {
      lease.close();
    } else {
      LOG.error(
          "Keeping all map outputs of shuffle {} in memory until this executor ends: the GPU may"
              + " still read them",
          request.shuffleId());
    }
  }

  /** The shuffle's state in this executor. */
  protected final ShuffleRuntime runtime() {
    return runtime;
  }

  /** The task that reads. */
  protected final TaskContext context() {
    return context;
  }

  /** Where the task's metrics go. */
  protected final ShuffleReadMetricsReporter metrics() {
    return metrics;
  }

  /** Queries Spark's tracker, and passes on what can be read in place, see {@link ReadPlan#of}. */
  protected final ReadPlan plan(ReadTask task, Predicate<LocalSource> local) {
    String self = SparkEnv.get().executorId();
    // Always read this executor's own blocks in place: Spark's fetcher never releases its reference
    // to a local block, so the lease of that block would never end.
    PeTable pes =
        id -> {
          if (id.equals(self)) {
            return OptionalInt.of(runtime.myPe());
          }
          return asksInsteadOfReading(id) ? OptionalInt.empty() : runtime.peers().findPe(id);
        };
    ReadPlan plan =
        ReadPlan.of(
            ReadPlan.inTurn(
                tracked(request.startMap(), request.endMap()), self, context.taskAttemptId()),
            pes,
            runtime::readsInPlace,
            source -> local.test(source) || isAskedOfOwner(task, source));
    ReadPlan joined =
        new ReadPlan(
            servers(self).join(plan.remote(), ReduceTaskReader::executors), plan.partial());
    for (RemoteOutputs each : joined.remote()) {
      BlockManagerId unused = living(task, each.server(), each.maps().getFirst().map());
    }
    return joined;
  }

  /**
   * Returns false, since the owner of this map output is asked for it; throws a fetch failure if
   * that is this executor.
   */
  private boolean isAskedOfOwner(ReadTask task, LocalSource source) {
    if (source.pe() == runtime.myPe()) {
      throw task.failures()
          .raise(
              FetchFailureKind.UNREADABLE,
              source.map(),
              "this executor's own folders on disk are gone",
              null);
    }
    return false;
  }

  /**
   * Whether a living owner is asked for all its map outputs because reading them in place may be
   * what fails this stage: in its second attempt if a task of this process could not read them, and
   * from the third on in any case, since the task that could not may have run elsewhere.
   */
  final boolean asksInsteadOfReading(String executorId) {
    int attempt = context.stageAttemptNumber();
    return attempt > 0
        && (attempt > 1 || runtime.hasReadFailed(executorId))
        && !runtime.peers().isLost(executorId);
  }

  /** Returns whom the task asks for what it cannot read in place. */
  final AnswerSources servers(String self) {
    return new AnswerSources(
        runtime.peers(),
        self,
        context.taskAttemptId(),
        context.stageAttemptNumber() > 0 || !runtime.config().peerMapping() || asksOwners());
  }

  /** Whether living owners are asked themselves, since others reach their map outputs less well. */
  protected boolean asksOwners() {
    return false;
  }

  /** Who is asked instead of an executor that has not answered; called by other threads. */
  private Optional<BlockManagerId> substitute(String executorId) {
    return context.isCompleted() || context.isInterrupted()
        ? Optional.empty()
        : servers(SparkEnv.get().executorId()).substitute(executorId, ReduceTaskReader::executors);
  }

  /** The addresses of all other executors; asks the driver. */
  private static List<BlockManagerId> executors() {
    BlockManager blockManager = SparkEnv.get().blockManager();
    return CollectionConverters.asJava(
        blockManager.master().getPeers(blockManager.blockManagerId()));
  }

  /**
   * Starts Spark's fetcher, which runs while blocks of this host are read. Its limits are about
   * memory, but the sizes that Spark's tracker has are estimates of compressed sizes, and answers
   * may travel uncompressed: see {@link FetchPlan}.
   */
  protected final FetchedFrames fetch(ReadTask task, ReadPlan plan) {
    FetchPlan first =
        FetchPlan.of(
            request,
            plan.remote(),
            task.usage().bytesPerReportedByte().orElse(USUAL_RATIO),
            allMaps(plan));
    FetchedFrames frames =
        new FetchedFrames(
            requested -> {
              requireRunning();
              return SparkFetcher.fetch(
                  requested.requests(asked -> living(task, asked.server(), asked.first())),
                  this::substitute,
                  context,
                  metrics);
            },
            first,
            task.failures(),
            metrics);
    TaskEnd.listen(context, frames::close);
    return frames;
  }

  /** The ids of all map tasks with data for this task's partitions, by who answers. */
  private Function<Server, NavigableSet<Long>> allMaps(ReadPlan plan) {
    boolean readsAll = request.startMap() == 0 && request.endMap() == Integer.MAX_VALUE;
    if ((readsAll && !plan.partial())
        || plan.remote().stream().allMatch(each -> each.maps().size() == 1)) {
      return server -> Collections.emptyNavigableSet();
    }
    Map<BlockManagerId, List<Long>> byOwner = new HashMap<>();
    CollectionConverters.asJava(tracked(0, Integer.MAX_VALUE))
        .forEachRemaining(
            ofOwner ->
                byOwner.put(
                    ofOwner._1(),
                    ReadPlan.maps(ofOwner._1(), ofOwner._2()).stream()
                        .map(sized -> sized.map().mapId())
                        .toList()));
    AnswerSources servers = servers(SparkEnv.get().executorId());
    return server ->
        byOwner.entrySet().stream()
            .filter(ofOwner -> servers.answers(server, ofOwner.getKey()))
            .flatMap(ofOwner -> ofOwner.getValue().stream())
            .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The non-empty blocks of this task's partitions that Spark's tracker knows, by address. */
  private Iterator<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> tracked(
      int startMap, int endMap) {
    return SparkEnv.get()
        .mapOutputTracker()
        .getMapSizesByExecutorId(
            request.shuffleId(),
            startMap,
            endMap,
            request.startPartition(),
            request.endPartition());
  }

  /**
   * Returns whom the task asks now, see {@link AnswerSources#living}. If there is no one, fails
   * immediately: Spark's fetcher would try to connect for about 15 seconds.
   *
   * @param first one of the map outputs that are asked for
   */
  private BlockManagerId living(ReadTask task, Server server, MapSource first) {
    return servers(SparkEnv.get().executorId())
        .living(server, ReduceTaskReader::executors)
        .orElseThrow(
            () ->
                task.failures()
                    .raise(
                        FetchFailureKind.OWNER_LOST,
                        first,
                        "the executor is lost, and no living executor can read its heap, or the"
                            + " disk where it has this",
                        null));
  }
}
