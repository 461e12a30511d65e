// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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
  private static final Logger LOG = LoggerFactory.getLogger(SparkFetcher.class);
  private static final int IPV4_BYTES = 4;

  private SparkFetcher() {}

  /**
   * Starts a fetcher.
   *
   * @param substitutes who is asked if an executor that answers for its host does not, see {@link
   *     FailoverClient}
   */
  static Iterator<Tuple2<BlockId, InputStream>> fetch(
      List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> blocks,
      Function<String, Optional<BlockManagerId>> substitutes,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    SparkEnv env = SparkEnv.get();
    SparkConf conf = env.conf();
    package$ keys = package$.MODULE$;
    BlockManager blockManager = env.blockManager();
    String host = blockManager.blockManagerId().host();
    List<Tuple2<BlockManagerId, Seq<Tuple3<BlockId, Object, Object>>>> byNetwork =
        blocks.stream()
            .map(ofAddress -> new Tuple2<>(byNetwork(ofAddress._1(), host), ofAddress._2()))
            .toList();
    return new ShuffleBlockFetcherIterator(
            context,
            new FailoverClient(
                blockManager.blockStoreClient(),
                executor -> substitutes.apply(executor).map(other -> byNetwork(other, host))),
            blockManager,
            env.mapOutputTracker(),
            CollectionConverters.asScala(byNetwork.iterator()),
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
            false,
            new SystemClock())
        .toCompletionIterator();
  }

  /**
   * The address at which an executor is reached through the network. Spark reads blocks of
   * executors whose address has its own host name from their shuffle files. But our blocks are in
   * heaps, and if a heap of this host is not mapped here, the executor's files are not accessible
   * either. So this returns the same address with another spelling of the host. Spark's own switch
   * applies to all fetches of the process, and changing it would make a concurrent sort shuffle
   * wait forever.
   *
   * @param address the address that the tracker returned
   */
  static BlockManagerId byNetwork(BlockManagerId address, String ourHost) {
    return address.host().equals(ourHost)
        ? BlockManagerId.apply(
            address.executorId(), respelled(ourHost), address.port(), address.topologyInfo())
        : address;
  }

  /** An IPv6 literal for a host: IPv4-mapped, or with all digits. */
  private static String respelled(String host) {
    byte[] ip;
    try {
      ip = InetAddress.getAllByName(host)[0].getAddress();
    } catch (UnknownHostException e) {
      // Connecting will fail, too, and report it as a failed fetch.
      LOG.debug("{} has no address", host, e);
      return host;
    }
    if (ip.length == IPV4_BYTES) {
      return "[::ffff:%d.%d.%d.%d]"
          .formatted(ip[0] & 0xff, ip[1] & 0xff, ip[2] & 0xff, ip[3] & 0xff);
    }
    String digits = HexFormat.of().withUpperCase().formatHex(ip);
    return "[" + digits.replaceAll("(.{4})(?!$)", "$1:") + "]";
  }
}
