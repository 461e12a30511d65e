// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.probe;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.buffer.NioManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;

/** Fetches a block of random bytes from another executor through Spark's block transfer. */
public final class NetworkProbe implements PathRates.Way {
  /** Size of the block: 2 ms at 1 Gbit/s. */
  static final int BYTES = 256 << 10;

  private static final long LIMIT_SECONDS = 30;

  /** Of a shuffle that does not exist: Spark numbers them from 0. */
  private static final ShuffleBlockId BLOCK = new ShuffleBlockId(Integer.MAX_VALUE, 0, 0);

  private final BlockStoreClient client;
  private final BlockManagerId address;

  /**
   * @param address the other executor's
   */
  NetworkProbe(BlockStoreClient client, BlockManagerId address) {
    this.client = client;
    this.address = address;
  }

  /** {@return whether a probe of another executor requests a block} */
  public static boolean isProbe(BlockId id) {
    return BLOCK.equals(id);
  }

  /** {@return the block that probes fetch} */
  public static ManagedBuffer data() {
    byte[] bytes = new byte[BYTES];
    new Random(BYTES).nextBytes(bytes);
    return new NioManagedBuffer(ByteBuffer.wrap(bytes));
  }

  @Override
  public long move() throws IOException, InterruptedException, TimeoutException {
    CompletableFuture<Long> arrived = new CompletableFuture<>();
    client.fetchBlocks(
        address.host(),
        address.port(),
        address.executorId(),
        new String[] {BLOCK.name()},
        new BlockFetchingListener() {
          @Override
          public void onBlockFetchSuccess(String id, ManagedBuffer data) {
            arrived.complete(data.size());
          }

          @Override
          public void onBlockFetchFailure(String id, Throwable failure) {
            arrived.completeExceptionally(failure);
          }
        },
        null);
    try {
      return arrived.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IOException("the probe did not arrive: " + e.getCause(), e);
    }
  }
}
