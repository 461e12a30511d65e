// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle;

import io.symshuffle.barrier.MemoryServer;
import io.symshuffle.shuffle.directory.CorruptControlException;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.layout.MapIdRange;
import io.symshuffle.shuffle.migrate.ReceivedOutput;
import io.symshuffle.shuffle.output.CorruptIndexException;
import io.symshuffle.shuffle.output.DiskNotVisibleException;
import io.symshuffle.shuffle.output.MapOutput;
import io.symshuffle.shuffle.runtime.ShuffleRuntime;
import io.symshuffle.shuffle.serve.BlockServer;
import io.symshuffle.shuffle.serve.OutputReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.client.StreamCallbackWithID;
import org.apache.spark.serializer.SerializerManager;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManager;
import org.apache.spark.storage.BlockStatus;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleIndexBlockId;
import org.apache.spark.storage.StorageLevel;
import org.apache.spark.util.collection.OpenHashSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Serves map outputs to executors that cannot read this executor's heap: a reduce task asks for its
 * partitions of many of them at once. Blocks of Spark's sort shuffle are served from its files.
 *
 * <p>It also sends all map outputs to other executors when Spark decommissions this one, and
 * receives theirs. Symmetric memory of barrier stages travels like a block, too. A map output of
 * ours travels as one block of all of its partitions; Spark's sort shuffle sends an index and a
 * file.
 */
final class SymShuffleBlockResolver extends IndexShuffleBlockResolver {
  private static final Logger LOG = LoggerFactory.getLogger(SymShuffleBlockResolver.class);

  SymShuffleBlockResolver(
      SparkConf conf, ConcurrentHashMap<Object, OpenHashSet<Object>> taskIdMapsForShuffle) {
    super(conf, taskIdMapsForShuffle);
  }

  @Override
  public ManagedBuffer getBlockData(BlockId blockId, Option<String[]> dirs) {
    if (MemoryServer.isMemory(blockId)) {
      return MemoryServer.of(ShuffleRuntime.require()).read(blockId);
    }
    return blockId instanceof ShuffleBlockBatchId id && MapIdRange.isCode(id.mapId())
        ? answer(ShuffleRuntime.require(), id)
        : super.getBlockData(blockId, dirs);
  }

  /**
   * What this executor, or all executors of its host have of a range of map outputs; the others are
   * missing from the answer, and so is what another executor has on a disk that this one does not
   * see.
   */
  private static ManagedBuffer answer(ShuffleRuntime runtime, ShuffleBlockBatchId asked) {
    MapIdRange range = MapIdRange.ofCode(asked.mapId());
    boolean ofHost = MapIdRange.isOfHost(asked.mapId());
    NavigableMap<Long, MapOutput> found = new TreeMap<>();
    Lease lease = runtime.leases().acquire(asked.shuffleId());
    try (lease) {
      for (int pe : ofHost ? runtime.readablePes() : List.of(runtime.myPe())) {
        addPublished(runtime, pe, asked, range, found);
      }
      List<MapOutput> outputs = List.copyOf(found.values());
      // Reads the indexes, which may be in the memory of other PEs.
      return server(runtime)
          .answer(
              range,
              MapIdRange.maxBytes(asked.mapId()),
              outputs,
              asked.startReduceId(),
              asked.endReduceId(),
              () -> claim(runtime, asked.shuffleId(), outputs));
    }
  }

  /** Adds what a PE has published, by map task; two PEs have what has moved to another executor. */
  private static void addPublished(
      ShuffleRuntime runtime,
      int pe,
      ShuffleBlockBatchId asked,
      MapIdRange range,
      NavigableMap<Long, MapOutput> found) {
    int shuffleId = asked.shuffleId();
    try {
      for (long mapId : runtime.outputs().published(pe, shuffleId, range)) {
        MapOutputId id = new MapOutputId(shuffleId, mapId);
        try {
          runtime
              .outputs()
              .find(pe, id)
              .filter(output -> output.isReadable(asked.startReduceId(), asked.endReduceId()))
              .ifPresent(output -> found.putIfAbsent(mapId, output));
        } catch (DiskNotVisibleException e) {
          LOG.debug("Omitting {} of PE {} from an answer: {}", id, pe, e.getMessage());
        } catch (IOException | CorruptIndexException | CorruptControlException | InternalError e) {
          // InternalError: the file was truncated, and a page is missing.
          LOG.warn("Omitting {} of PE {} from an answer: {}", id, pe, e.getMessage());
        }
      }
    } catch (CorruptControlException | InternalError e) {
      LOG.warn("Omitting shuffle {} of PE {} from an answer: {}", shuffleId, pe, e.getMessage());
    }
  }

  /** Spark's driver has a shuffle service delete these, but executors do not use one. */
  @Override
  public Seq<BlockId> getBlocksForShuffle(int shuffleId, long mapId) {
    return CollectionConverters.asScala(List.<BlockId>of()).toSeq();
  }

  @Override
  public Seq<ShuffleBlockInfo> getStoredShuffles() {
    List<ShuffleBlockInfo> all =
        new ArrayList<>(CollectionConverters.asJava(super.getStoredShuffles()));
    ShuffleRuntime.current().stream()
        .flatMap(runtime -> runtime.store().committed().stream())
        .forEach(id -> all.add(new ShuffleBlockInfo(id.shuffleId(), id.mapId())));
    return CollectionConverters.asScala(all).toSeq();
  }

  @Override
  public scala.collection.immutable.List<Tuple2<BlockId, ManagedBuffer>> getMigrationBlocks(
      ShuffleBlockInfo info) {
    MapOutputId id = new MapOutputId(info.shuffleId(), info.mapId());
    Optional<Tuple2<BlockId, ManagedBuffer>> block;
    try {
      block = ShuffleRuntime.current().flatMap(runtime -> whole(runtime, id));
    } catch (RuntimeException | InternalError e) {
      // Anything else would end the migration of all other map outputs.
      // InternalError: the file was truncated, and a page is missing.
      LOG.warn("{} does not move to another executor, since it cannot be read", id, e);
      return CollectionConverters.asScala(List.<Tuple2<BlockId, ManagedBuffer>>of()).toList();
    }
    return block
        .map(one -> CollectionConverters.asScala(List.of(one)).toList())
        .orElseGet(() -> super.getMigrationBlocks(info));
  }

  /** A map output of ours as one block; empty if this executor has none. */
  private static Optional<Tuple2<BlockId, ManagedBuffer>> whole(
      ShuffleRuntime runtime, MapOutputId id) {
    if (runtime.store().isEmpty(id)) {
      return Optional.of(
          new Tuple2<>(
              new ShuffleBlockBatchId(id.shuffleId(), id.mapId(), 0, 1),
              new NioManagedBuffer(ByteBuffer.allocate(0))));
    }
    Lease lease = runtime.leases().acquire(id.shuffleId());
    try (lease) {
      return runtime
          .outputs()
          .find(runtime.myPe(), id)
          .map(
              output ->
                  new Tuple2<>(
                      new ShuffleBlockBatchId(id.shuffleId(), id.mapId(), 0, output.partitions()),
                      server(runtime)
                          .serveWhole(
                              output, () -> claim(runtime, id.shuffleId(), List.of(output)))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public StreamCallbackWithID putShuffleBlockAsStream(
      BlockId blockId, SerializerManager serializerManager) {
    if (MemoryServer.isMemory(blockId)) {
      return MemoryServer.of(ShuffleRuntime.require()).write(blockId);
    }
    if (!(blockId instanceof ShuffleBlockBatchId whole)) {
      return super.putShuffleBlockAsStream(blockId, serializerManager);
    }
    BlockManager blocks = SparkEnv.get().blockManager();
    // This kind of block makes the driver change the place of the map output.
    BlockId moved = new ShuffleIndexBlockId(whole.shuffleId(), whole.mapId(), 0);
    try {
      return new ReceivedOutput(
          whole.name(),
          new MapOutputId(whole.shuffleId(), whole.mapId()),
          whole.endReduceId(),
          ShuffleRuntime.require(),
          blocks.diskBlockManager().createTempShuffleBlock()._2().toPath(),
          serializerManager,
          () ->
              blocks.reportBlockStatus(moved, new BlockStatus(StorageLevel.DISK_ONLY(), 0, 0), 0));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static BlockServer server(ShuffleRuntime runtime) {
    return runtime.shared(
        BlockServer.class,
        () ->
            BlockServer.start(
                runtime.config(),
                runtime.device(),
                runtime.peerPages(),
                runtime.copies(),
                data -> runtime.wrapper().wrap(OutputReader.class, data),
                runtime::isDead,
                runtime.stats()));
  }

  /** Acquires a lease under which map outputs stay as they are. */
  private static Lease claim(ShuffleRuntime runtime, int shuffleId, List<MapOutput> outputs)
      throws IOException {
    Lease lease = runtime.leases().acquire(shuffleId);
    boolean found = false;
    try {
      for (MapOutput output : outputs) {
        if (runtime.outputs().find(output.pe(), output.id()).isEmpty()) {
          throw new IOException(output.id() + " no longer exists: its shuffle was unregistered");
        }
      }
      found = true;
      return lease;
    } finally {
      if (!found) {
        lease.close();
      }
    }
  }
}
