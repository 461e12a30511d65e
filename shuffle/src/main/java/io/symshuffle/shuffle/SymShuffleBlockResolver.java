// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle;

import static java.util.Objects.requireNonNull;

import io.symshuffle.shuffle.core.ShuffleRuntime;
import io.symshuffle.shuffle.directory.Lease;
import io.symshuffle.shuffle.directory.MapOutputId;
import io.symshuffle.shuffle.serve.OutputReader;
import io.symshuffle.shuffle.serve.ServedBlock;
import io.symshuffle.shuffle.serve.TransferCompressor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkConf;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.shuffle.IndexShuffleBlockResolver;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.apache.spark.storage.ShuffleBlockId;
import org.apache.spark.util.collection.OpenHashSet;
import scala.Option;

/**
 * Serves blocks to executors that cannot read this executor's heap. Blocks of Spark's sort shuffle
 * are served from its files.
 */
final class SymShuffleBlockResolver extends IndexShuffleBlockResolver {
  SymShuffleBlockResolver(
      SparkConf conf, ConcurrentHashMap<Object, OpenHashSet<Object>> taskIdMapsForShuffle) {
    super(conf, requireNonNull(taskIdMapsForShuffle, "taskIdMapsForShuffle is null"));
  }

  @Override
  public ManagedBuffer getBlockData(BlockId blockId, Option<String[]> dirs) {
    Optional<ShuffleRuntime> runtime = ShuffleRuntime.current();
    if (runtime.isPresent() && dirs.isEmpty()) {
      Optional<ManagedBuffer> block =
          switch (blockId) {
            case ShuffleBlockId id ->
                find(
                    runtime.get(),
                    new MapOutputId(id.shuffleId(), id.mapId()),
                    id.reduceId(),
                    id.reduceId() + 1);
            case ShuffleBlockBatchId id ->
                find(
                    runtime.get(),
                    new MapOutputId(id.shuffleId(), id.mapId()),
                    id.startReduceId(),
                    id.endReduceId());
            default -> Optional.empty();
          };
      if (block.isPresent()) {
        return block.get();
      }
    }
    return super.getBlockData(blockId, dirs);
  }

  private static Optional<ManagedBuffer> find(
      ShuffleRuntime runtime, MapOutputId id, int startPartition, int endPartition) {
    Lease lease = runtime.leases().acquire(id.shuffleId());
    try (lease) {
      return runtime
          .outputs()
          .find(runtime.myPe(), id)
          .map(
              output ->
                  new ServedBlock(
                      output,
                      runtime.device(),
                      data -> runtime.wrapper().wrap(OutputReader.class, data),
                      startPartition,
                      endPartition,
                      () -> claim(runtime, id),
                      runtime.shared(
                          TransferCompressor.class,
                          () -> TransferCompressor.start(runtime.config(), runtime.stats())),
                      runtime.stats()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Lease claim(ShuffleRuntime runtime, MapOutputId id) throws IOException {
    Lease lease = runtime.leases().acquire(id.shuffleId());
    boolean found = false;
    try {
      found = runtime.outputs().find(runtime.myPe(), id).isPresent();
      if (!found) {
        throw new IOException(id + " no longer exists: its shuffle was unregistered");
      }
      return lease;
    } finally {
      if (!found) {
        lease.close();
      }
    }
  }
}
