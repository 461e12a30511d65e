// Copyright 2026 SymShuffle developers
// SPDX-License-Identifier: Apache-2.0

package io.symshuffle.shuffle.probe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.storage.BlockId;
import org.apache.spark.storage.BlockManagerId;
import org.apache.spark.storage.ShuffleBlockId;
import org.junit.jupiter.api.Test;
import scala.Option;

class NetworkProbeTest {
  private static final BlockManagerId PEER = BlockManagerId.apply("3", "b", 7337, Option.empty());

  /** Spark's client, whose peer answers as the test says. */
  private static final class Client extends BlockStoreClient {
    private final BiConsumer<String, BlockFetchingListener> peer;

    Client(BiConsumer<String, BlockFetchingListener> peer) {
      this.peer = peer;
    }

    @Override
    public void fetchBlocks(
        String host,
        int port,
        String executor,
        String[] blocks,
        BlockFetchingListener listener,
        DownloadFileManager files) {
      assertEquals("b:7337 of 3", "%s:%d of %s".formatted(host, port, executor));
      List.of(blocks).forEach(block -> peer.accept(block, listener));
    }

    @Override
    public void close() {}
  }

  @Test
  void fetchesTheBlockThatAPeerServes() throws Exception {
    CompletableFuture<String> asked = new CompletableFuture<>();
    NetworkProbe probe =
        new NetworkProbe(
            new Client(
                (block, listener) -> {
                  asked.complete(block);
                  listener.onBlockFetchSuccess(block, NetworkProbe.data());
                }),
            PEER);
    assertEquals(NetworkProbe.BYTES, probe.move());
    ShuffleBlockId id = (ShuffleBlockId) BlockId.apply(asked.join());
    assertTrue(NetworkProbe.isProbe(id), id::toString);
    assertFalse(NetworkProbe.isProbe(new ShuffleBlockId(id.shuffleId() - 1, 0, 0)));
  }

  @Test
  void failedFetchIsAnError() {
    NetworkProbe probe =
        new NetworkProbe(
            new Client(
                (block, listener) ->
                    listener.onBlockFetchFailure(block, new IOException("refused"))),
            PEER);
    IOException failure = assertThrows(IOException.class, probe::move);
    assertTrue(failure.getMessage().contains("refused"), failure::getMessage);
  }
}
