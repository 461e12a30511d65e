// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import java.io.InputStream;
import java.util.List;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.internal.config.package$;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockFetcherIterator;
import org.apache.spark.util.SystemClock;
import scala.Option;
import scala.Tuple2;
import scala.Tuple3;
import scala.collection.Iterator;
import scala.collection.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Starts Spark's fetcher for blocks of other hosts, with Spark's limits on bytes and requests in
 * flight, its retries, and its spilling of large blocks to disk. Its corruption checks are off,
 * since frames have checksums.
 */
final class SparkFetcher {
  private SparkFetcher() {}

  static Iterator<Tuple2<BlockId, InputStream>> fetch(
      List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks,
      boolean batch,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    SparkEnv env = SparkEnv.get();
    SparkConf conf = env.conf();
    package$ keys = package$.MODULE$;
    BlockManager blockManager = env.blockManager();
    // Spark reads blocks of executors on the same host from their shuffle files. SymShuffle's
    // blocks
    // are in heaps, and if a heap of this host is not mapped here, the executor's files are not
    // accessible either. So turn this off, but only then: a concurrent fetch of Spark's sort
    // shuffle
    // that relies on these files would wait forever.
    String host = blockManager.blockManagerId().host();
    if (blocks.stream().anyMatch(ofAddress -> ofAddress._1().host().equals(host))) {
      blockManager.hostLocalDirManager_$eq(Option.empty());
    }
    return new ShuffleBlockFetcherIterator(
            context,
            blockManager.blockStoreClient(),
            blockManager,
            env.mapOutputTracker(),
            CollectionConverters.asScala(blocks.iterator()),
            (id, stream) -> stream,
            (long) conf.get(keys.REDUCER_MAX_SIZE_IN_FLIGHT()) << 20,
            (int) conf.get(keys.REDUCER_MAX_REQS_IN_FLIGHT()),
            (int) conf.get(keys.REDUCER_MAX_BLOCKS_IN_FLIGHT_PER_ADDRESS()),
            (long) conf.get(keys.MAX_REMOTE_BLOCK_SIZE_FETCH_TO_MEM()),
            (int) conf.get(keys.SHUFFLE_MAX_ATTEMPTS_ON_NETTY_OOM()),
            false,
            false,
            false,
            conf.get(keys.SHUFFLE_CHECKSUM_ALGORITHM()),
            metrics,
            batch,
            new SystemClock())
        .toCompletionIterator();
  }
}
