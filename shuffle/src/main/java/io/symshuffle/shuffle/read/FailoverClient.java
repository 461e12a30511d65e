// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0
package io.symshuffle.shuffle.read;

import io.symshuffle.ffi.DaemonThreads;
import io.symshuffle.shuffle.layout.MapIdRange;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockBatchId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spark's client for blocks of other executors. If an executor that answers for its host has not
 * answered after Spark's retries, for example because it has died, another one of that host is
 * asked, once. Only if that fails, too, or nobody can be asked, the first failure is reported.
 * Something is always reported, since the task waits for it without a limit.
 *
 * <p>Used by the threads of one reduce task's fetcher.
 */
final class FailoverClient extends BlockStoreClient {
  private static final Logger LOG = LoggerFactory.getLogger(FailoverClient.class);

  private final BlockStoreClient client;
  private final Function<String, Optional<BlockManagerId>> substitutes;
  private final Executor threads;

  /**
   * Wraps Spark's client.
   *
   * @param client not closed with this one
   * @param substitutes returns another executor that answers for the host of an executor, if there
   *     is one and the task still needs it; may ask the driver
   */
  FailoverClient(BlockStoreClient client, Function<String, Optional<BlockManagerId>> substitutes) {
    this(client, substitutes, action -> DaemonThreads.start("symshuffle-failover", action));
  }

  /**
   * As above.
   *
   * @param threads asks other executors on other threads
   */
  FailoverClient(
      BlockStoreClient client,
      Function<String, Optional<BlockManagerId>> substitutes,
      Executor threads) {
    this.client = client;
    this.substitutes = substitutes;
    this.threads = threads;
  }

  @Override
  public void fetchBlocks(
      String host,
      int port,
      String executorId,
      String[] blocks,
      BlockFetchingListener listener,
      DownloadFileManager files) {
    client.fetchBlocks(
        host,
        port,
        executorId,
        blocks,
        new Listener(listener) {
          @Override
          public void onBlockFetchFailure(String block, Throwable failure) {
            // Spark's fetcher handles errors, such as exhausted memory, itself.
            if (failure instanceof Exception && isOfHost(block)) {
              new Failover(executorId, block, failure, listener, files).start();
            } else {
              super.onBlockFetchFailure(block, failure);
            }
          }
        },
        files);
  }

  /** A block that an executor has not sent, and how it is asked of another one. */
  private final class Failover {
    private final String executorId;
    private final String block;
    private final Throwable failure;
    private final BlockFetchingListener listener;
    private final DownloadFileManager files;

    Failover(
        String executorId,
        String block,
        Throwable failure,
        BlockFetchingListener listener,
        DownloadFileManager files) {
      this.executorId = executorId;
      this.block = block;
      this.failure = failure;
      this.listener = listener;
      this.files = files;
    }

    void start() {
      try {
        // Connecting blocks, and this may be a thread that serves connections.
        threads.execute(this::askAnother);
      } catch (Throwable e) {
        // OutOfMemoryError: the limit of threads is reached.
        LOG.warn("Cannot start a thread to ask another executor for {}", block, e);
        listener.onBlockFetchFailure(block, failure);
      }
    }

    private void askAnother() {
      try {
        Optional<BlockManagerId> found = substitutes.apply(executorId);
        if (found.isPresent()) {
          ask(found.get());
          return;
        }
      } catch (Throwable e) {
        // Spark throws exceptions that it does not declare, such as one for a driver that does not
        // answer.
        LOG.warn("Cannot ask another executor on the host of executor {}", executorId, e);
      }
      listener.onBlockFetchFailure(block, failure);
    }

    private void ask(BlockManagerId other) {
      LOG.warn(
          "Executor {} has not sent {}; asking executor {} on the same host: {}",
          executorId,
          block,
          other.executorId(),
          failure.toString());
      client.fetchBlocks(
          other.host(),
          other.port(),
          other.executorId(),
          new String[] {block},
          new Listener(listener) {
            @Override
            public void onBlockFetchFailure(String same, Throwable second) {
              LOG.warn("Executor {} has not sent {}, either", other.executorId(), same, second);
              super.onBlockFetchFailure(same, failure);
            }
          },
          files);
    }
  }

  private static boolean isOfHost(String block) {
    return BlockId.apply(block) instanceof ShuffleBlockBatchId asked
        && MapIdRange.isCode(asked.mapId())
        && MapIdRange.isOfHost(asked.mapId());
  }

  /** Passes everything on. */
  private static class Listener implements BlockFetchingListener {
    private final BlockFetchingListener listener;

    Listener(BlockFetchingListener listener) {
      this.listener = listener;
    }

    @Override
    public void onBlockFetchSuccess(String block, ManagedBuffer data) {
      listener.onBlockFetchSuccess(block, data);
    }

    @Override
    public void onBlockFetchFailure(String block, Throwable failure) {
      listener.onBlockFetchFailure(block, failure);
    }
  }

  @Override
  public void close() throws IOException {
    // Spark's client belongs to the executor.
  }
}
