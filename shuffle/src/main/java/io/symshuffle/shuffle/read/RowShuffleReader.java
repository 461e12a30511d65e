// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.task.RowShuffleHandle;
import io.symshuffle.shuffle.task.TaskEnd;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import scala.Product2;
import scala.Tuple2;
import scala.collection.AbstractIterator;
import scala.collection.Iterator;

/** Reads records: the blocks of a range of partitions of a range of map tasks, as one iterator. */
public final class RowShuffleReader<K, C> extends ReduceTaskReader<K, C> {
  private final RowShuffleHandle<K, ?, C> handle;

  public RowShuffleReader(
      ShuffleRuntime runtime,
      RowShuffleHandle<K, ?, C> handle,
      ReadRequest request,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    super(runtime, request, context, metrics);
    this.handle = handle;
  }

  @Override
  protected Iterator<Product2<K, C>> read(ReadTask task, InPlaceAccess access) {
    List<LocalSource> local = new ArrayList<>();
    Map<Integer, Boolean> seesDisks = new HashMap<>();
    ReadPlan plan =
        plan(
            task,
            source ->
                // Usually map outputs are looked up later, while others are fetched.
                (seesDisks.computeIfAbsent(source.pe(), runtime()::seesDisks)
                        || task.inspect(
                            source,
                            output ->
                                output.isReadable(
                                    task.request().startPartition(),
                                    task.request().endPartition())))
                    && local.add(source));
    List<BlockCursor> cursors = new ArrayList<>();
    if (!plan.remote().isEmpty()) {
      cursors.add(new TransferCursor(task, fetch(task, plan)));
    }
    if (!local.isEmpty()) {
      // Read local blocks first, while those of other hosts are being fetched.
      cursors.addFirst(
          new InPlaceCursor(
              runtime().wrapper().wrap(HostCursor.Factory.class, this::open).open(task, local),
              access));
    }
    BlockCursor blocks = ChainedCursor.of(cursors);
    return handle.rowFields().isPresent()
        ? rows(blocks, access, handle.rowFields().getAsInt())
        : deserialized(blocks, access);
  }

  private BlockCursor open(ReadTask task, List<LocalSource> sources) {
    HostCursor cursor = new HostCursor(task, sources);
    TaskEnd.listen(context(), cursor::close);
    return cursor;
  }

  @SuppressWarnings(
      "unchecked") // a shuffle with a number of row fields has rows as values and ints as keys
  private Iterator<Product2<K, C>> rows(BlockCursor blocks, InPlaceAccess access, int fields) {
    RowIterator rows = new RowIterator(blocks, access, fields, metrics());
    TaskEnd.listen(context(), rows.atTaskEnd());
    return (Iterator<Product2<K, C>>) (Iterator<?>) rows;
  }

  private Iterator<Product2<K, C>> deserialized(BlockCursor blocks, InPlaceAccess access) {
    Iterator<Tuple2<Object, Object>> pairs =
        handle
            .dependency()
            .serializer()
            .newInstance()
            .deserializeStream(new RecordInputStream(blocks, access))
            .asKeyValueIterator();
    return new AbstractIterator<>() {
      @Override
      public boolean hasNext() {
        return pairs.hasNext();
      }

      @Override
      @SuppressWarnings("unchecked") // the types that the writer serialized
      public Product2<K, C> next() {
        Product2<K, C> pair = (Product2<K, C>) (Product2<?, ?>) pairs.next();
        metrics().incRecordsRead(1);
        return pair;
      }
    };
  }
}
